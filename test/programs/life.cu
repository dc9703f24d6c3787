// Conway's game of life on a torus; the exit code is the number of living cells, as far as it fits.
#include <algorithm>
#include <iostream>
#include <memory>
#include <string>
#include <utility>

// Numbers that the test makes too (a permuted congruential step).
__host__ __device__ unsigned hash(unsigned i, unsigned seed) {
  unsigned h = i * 747796405u + seed * 2891336453u + 12345u;
  h = ((h >> ((h >> 28) + 4)) ^ h) * 277803737u;
  return (h >> 22) ^ h;
}

class Board {
 public:
  Board(int width, int height) : width_(width), height_(height) {
    cudaMalloc(&now_, size());
    cudaMalloc(&next_, size());
  }
  ~Board() {
    cudaFree(now_);
    cudaFree(next_);
  }
  Board(const Board&) = delete;

  void seed(unsigned seed) {
    auto cells = std::make_unique<unsigned char[]>(size());
    for (int i = 0; i < size(); i++) cells[i] = hash(i, seed) % 3 == 0;
    cudaMemcpy(now_, cells.get(), size(), cudaMemcpyHostToDevice);
  }
  void step();
  int living() const {
    auto cells = std::make_unique<unsigned char[]>(size());
    cudaMemcpy(cells.get(), now_, size(), cudaMemcpyDeviceToHost);
    return std::count(cells.get(), cells.get() + size(), 1);
  }

 private:
  int size() const { return width_ * height_; }
  int width_, height_;
  unsigned char *now_ = nullptr, *next_ = nullptr;
};

__global__ void advance(const unsigned char* now, unsigned char* next, int width, int height) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= width || y >= height) return;
  int around = 0;
  for (int dy = -1; dy <= 1; dy++)
    for (int dx = -1; dx <= 1; dx++)
      if (dx != 0 || dy != 0) around += now[(y + dy + height) % height * width + (x + dx + width) % width];
  next[y * width + x] = around == 3 || (around == 2 && now[y * width + x]);
}

void Board::step() {
  const dim3 block(16, 8);
  const dim3 grid((width_ + block.x - 1) / block.x, (height_ + block.y - 1) / block.y);
  advance<<<grid, block>>>(now_, next_, width_, height_);
  std::swap(now_, next_);
}

int main(int argc, char** argv) {
  int steps = std::stoi(argv[1]), living;
  {
    Board board(48, 32);
    board.seed(std::stoul(argv[2]));
    for (int i = 0; i < steps; i++) board.step();
    living = board.living();
  }
  std::cout << "living " << living << '\n';
  return living % 200;
}
