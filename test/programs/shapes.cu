// Objects with virtual functions that a kernel makes, others call through pointers to their base, and a last one
// deletes.
#include <cstdio>
#include <cstdlib>

class Shape {
 public:
  __device__ Shape(int x, int y) : x(x), y(y) {}
  __device__ virtual ~Shape() {}
  __device__ virtual int area2() const = 0;  // twice the area
  __device__ virtual bool contains(int px, int py) const = 0;
  __device__ virtual void grow(int by) { x -= by; }

 protected:
  int x, y;
};

class Box : public Shape {
 public:
  __device__ Box(int x, int y, int width, int height) : Shape(x, y), width(width), height(height) {}
  __device__ int area2() const override { return 2 * width * height; }
  __device__ bool contains(int px, int py) const override {
    return px >= x && px < x + width && py >= y && py < y + height;
  }
  __device__ void grow(int by) override {
    Shape::grow(by);
    width += 2 * by;
  }

 protected:
  int width, height;
};

class Diamond final : public Shape {
 public:
  __device__ Diamond(int x, int y, int radius) : Shape(x, y), radius(radius) {}
  __device__ int area2() const override { return 4 * radius * radius; }
  __device__ bool contains(int px, int py) const override { return abs(px - x) + abs(py - y) <= radius; }

 private:
  int radius;
};

class Frame : public Box {
 public:
  using Box::Box;
  __device__ int area2() const override { return Box::area2() - 2 * (width - 2) * (height - 2); }
  __device__ bool contains(int px, int py) const override {
    return Box::contains(px, py) && (px == x || py == y || px == x + width - 1 || py == y + height - 1);
  }
};

__device__ int destroyed;

__global__ void build(Shape** shapes, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  int x = 7 * i % 30, y = 11 * i % 30;
  switch (i % 3) {
    case 0:
      shapes[i] = new Box(x, y, 2 + i % 5, 3 + i % 4);
      break;
    case 1:
      shapes[i] = new Diamond(x, y, 1 + i % 6);
      break;
    default:
      shapes[i] = new Frame(x, y, 4 + i % 3, 5 + i % 3);
  }
}

__global__ void grow(Shape** shapes, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) shapes[i]->grow(1);
}

__global__ void cover(Shape* const* shapes, int n, int* picture, int* areas) {
  int x = threadIdx.x, y = blockIdx.x, count = 0;
  for (int i = 0; i < n; i++) count += shapes[i]->contains(x, y) ? 1 : 0;
  picture[y * blockDim.x + x] = count;
  if (x == 0)
    for (int i = y; i < n; i += gridDim.x) areas[i] = shapes[i]->area2();
}

__global__ void destroy(Shape** shapes, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  delete shapes[i];
  atomicAdd(&destroyed, 1);
}

int main(int argc, char** argv) {
  const int n = atoi(argv[1]), side = 32;
  Shape** shapes;
  int *picture, *areas, gone;
  cudaMalloc(&shapes, n * sizeof(Shape*));
  cudaMallocManaged(&picture, side * side * sizeof(int));
  cudaMallocManaged(&areas, n * sizeof(int));
  build<<<(n + 31) / 32, 32>>>(shapes, n);
  grow<<<(n + 31) / 32, 32>>>(shapes, n);
  cover<<<side, side>>>(shapes, n, picture, areas);
  destroy<<<(n + 31) / 32, 32>>>(shapes, n);
  cudaMemcpyFromSymbol(&gone, destroyed, sizeof gone);
  for (int y = 0; y < side; y += 4) {
    for (int x = 0; x < side; x++) putchar(picture[y * side + x] == 0 ? '.' : '0' + picture[y * side + x] % 10);
    putchar('\n');
  }
  long long area = 0;
  for (int i = 0; i < n; i++) area += areas[i];
  printf("area %.1f, %d destroyed\n", area / 2.0, gone);
  cudaFree(shapes);
  cudaFree(picture);
  cudaFree(areas);
}
