// Convolutions and their gradients as products by OpenBLAS with columns of windows, which are made part by part, each
// in a core's cache.
#include <algorithm>
#include <climits>
#include <vector>

#include "../../host/convolution_terms.h"
#include "../../host/json.h"
#include "libraries.h"
#include "narrow.h"
#include "openblas_library.h"
#include "window_columns.h"

namespace warpcell::cpu {
namespace {

// Columns that are made and multiplied at a time: with their part of the depth they fit a core's own cache.
constexpr int64_t kColumns = 512, kColumnBytes = 512 << 10;
// Planes of fewer windows are multiplied several at a time.
constexpr int64_t kFewPositions = 192;
constexpr int64_t kPartsPerCore = 4, kLeastOutputs = 64;
// Sums over images are made in as many parts, which add up the same on every machine.
constexpr int64_t kSplits = 8;

int64_t divided(int64_t size, int64_t part) { return (size + part - 1) / part; }

template <class Stored>
struct Summed {
  using Type = float;
  using Bits = uint16_t;
};
template <>
struct Summed<float> {
  using Type = float;
  using Bits = float;
};
template <>
struct Summed<double> {
  using Type = double;
  using Bits = double;
};

// Memory of this thread, cut into pieces.
template <class T>
class Scratch {
 public:
  explicit Scratch(int64_t count) {
    thread_local std::vector<T> memory;
    if (int64_t(memory.size()) < count) memory = std::vector<T>(size_t(count));
    next_ = memory.data();
  }
  T* take(int64_t count) {
    T* piece = next_;
    next_ += count;
    return piece;
  }

 private:
  T* next_;
};

template <class Stored>
class Convolution final : public PlannedCall {
  using Sum = typename Summed<Stored>::Type;
  using Bits = typename Summed<Stored>::Bits;
  static constexpr bool kNarrow = !std::is_same_v<Stored, Sum>;

 public:
  Convolution(const LibraryContext& context, const ConvolutionTerms& terms, const OpenBlas& library)
      : PlannedCall("OpenBLAS convolution", terms.place_bytes().size(), 0),
        context_(context),
        terms_(terms),
        bytes_(terms.place_bytes()),
        calls_(calls_of<Sum>(library)),
        columns_(terms),
        taps_(terms.taps()),
        elements_(terms.elements()),
        positions_(terms.positions()),
        group_channels_(terms.channels / terms.groups),
        group_outputs_(terms.outputs / terms.groups),
        depth_(group_channels_ * taps_),
        is_pointwise_(pointwise(terms)) {
    share(context.streams.cores());
    planned.host_workspace = workspace() * sizeof(Sum);
    planned.kept = sizeof *this;
    planned.chosen =
        JsonObject()
            .text("library", "OpenBLAS")
            .text("version", library.version)
            .text("path", library.path)
            .text("algorithm", library.processor + (is_pointwise_ ? ", as it lies" : ", by columns of windows"))
            .done();
  }

  void run(const RunRequest& request) override {
    for (size_t which = 0; which < bytes_.size(); which++)
      places_[which] = reinterpret_cast<Stored*>(context_.segments.range(request.places[which], bytes_[which]));
    weight_ = widened_weight(static_cast<Sum*>(request.host_workspace));
    sums_ = static_cast<Sum*>(request.host_workspace);
    Part part = [this](uint64_t number) { (this->*part_)(int64_t(number)); };
    context_.streams.at(request.stream).pool.run_parts(uint64_t(parts_), part, request.sequence, title.number);
    if (terms_.result == ConvolutionResult::weight && has_sums()) add_sums();
  }

 private:
  // Every element of a plane is a window of its own.
  static bool pointwise(const ConvolutionTerms& terms) {
    for (size_t axis = 0; axis < kMostSpatialAxes; axis++) {
      if (terms.kernel[axis] != 1 || terms.stride[axis] != 1 || terms.padding[axis] != 0) return false;
    }
    return true;
  }

  // How the work is cut: stretches of windows, whole planes where these are small, by channels.
  void share(uint32_t cores) {
    const int64_t all = terms_.images * positions_, wanted = cores == 1 ? 1 : kPartsPerCore * cores;
    stretch_ = positions_ < kFewPositions ? std::max<int64_t>(1, kColumns / positions_) * positions_
                                          : divided(divided(positions_, divided(positions_, kColumns)), 16) * 16;
    stretches_of_plane_ = divided(positions_, std::min(stretch_, positions_));
    planes_ = std::max<int64_t>(1, stretch_ / positions_);
    stretches_ = positions_ < kFewPositions ? divided(all, stretch_) : terms_.images * stretches_of_plane_;
    switch (terms_.result) {
      case ConvolutionResult::output:
        tile_ = group_outputs_;
        while (stretches_ * terms_.groups * divided(group_outputs_, tile_) < wanted && tile_ > kLeastOutputs)
          tile_ = std::max(kLeastOutputs, divided(tile_, 2));
        tiles_ = divided(group_outputs_, tile_);
        parts_ = stretches_ * terms_.groups * tiles_;
        part_ = &Convolution::output_part;
        break;
      case ConvolutionResult::input:
        tile_ = group_channels_;
        batches_ = divided(terms_.images, planes_);
        while (batches_ * terms_.groups * divided(group_channels_, tile_) < wanted && tile_ * taps_ > 2 * kLeastOutputs)
          tile_ = divided(tile_, 2);
        tiles_ = divided(group_channels_, tile_);
        parts_ = batches_ * terms_.groups * tiles_;
        part_ = &Convolution::input_part;
        break;
      case ConvolutionResult::weight:
        // The same on every machine, since it says in which order is summed.
        tile_ = group_channels_;
        while (terms_.groups * divided(group_channels_, tile_) < kSplits && tile_ * taps_ > 2 * kLeastOutputs)
          tile_ = divided(tile_, 2);
        tiles_ = divided(group_channels_, tile_);
        splits_ = std::min(stretches_, divided(kSplits, terms_.groups * tiles_));
        parts_ = splits_ * terms_.groups * tiles_;
        part_ = &Convolution::weight_part;
        break;
    }
  }

  bool has_sums() const { return kNarrow || splits_ > 1; }
  int64_t weights() const { return terms_.outputs * depth_; }
  uint64_t workspace() const {
    if (terms_.result == ConvolutionResult::weight) return has_sums() ? uint64_t(splits_ * weights()) : 0;
    return kNarrow ? uint64_t(weights()) : 0;
  }

  const Sum* widened_weight(Sum* memory) const {
    if (terms_.result == ConvolutionResult::weight) return nullptr;
    if constexpr (kNarrow) {
      widen(places_[2], memory, weights());
      return memory;
    } else {
      return places_[2];
    }
  }

  // The stretch of windows of that number, in all images.
  ColumnPart windows(int64_t stretch) const {
    if (positions_ < kFewPositions) {
      int64_t from = stretch * stretch_;
      return {0, 0, from, std::min(stretch_, terms_.images * positions_ - from)};
    }
    int64_t image = stretch / stretches_of_plane_, from = stretch % stretches_of_plane_ * stretch_;
    return {0, 0, image * positions_ + from, std::min(stretch_, positions_ - from)};
  }
  bool is_of_one_image(const ColumnPart& part) const {
    return part.position / positions_ == (part.position + part.positions - 1) / positions_;
  }

  // Channels whose columns are made at a time.
  int64_t channels_at_a_time(int64_t most) const {
    return std::clamp<int64_t>(kColumnBytes / int64_t(sizeof(Sum)) / (stretch_ * taps_), 1, most);
  }

  // A matrix with a row for each channel from `channel` on, a column for each window or element: where it lies, or a
  // copy in one piece.
  struct Rows {
    const Sum* data;
    int64_t leading;
  };
  Rows rows(const Stored* from, int64_t of_image, int64_t channel, int64_t channels, const ColumnPart& part,
            Scratch<Sum>& scratch) const {
    int64_t image = part.position / positions_, at = part.position - image * positions_;
    if constexpr (!kNarrow) {
      if (is_of_one_image(part)) return {from + (image * of_image + channel) * positions_ + at, positions_};
    }
    Sum* to = scratch.take(channels * part.positions);
    for (int64_t row = 0; row < channels; row++) {
      each_image(part, [&](int64_t image, int64_t first, int64_t count, int64_t column) {
        put(from + (image * of_image + channel + row) * positions_ + first, to + row * part.positions + column, count);
      });
    }
    return {to, part.positions};
  }

  // Calls use(image, first window of it, how many, where among the part's) for the images of a part.
  template <class Use>
  void each_image(const ColumnPart& part, Use use) const {
    for (int64_t column = 0; column < part.positions;) {
      int64_t at = part.position + column, image = at / positions_, first = at - image * positions_;
      int64_t count = std::min(part.positions - column, positions_ - first);
      use(image, first, count, column);
      column += count;
    }
  }

  static void put(const Stored* from, Sum* to, int64_t count) {
    if constexpr (kNarrow)
      widen(from, to, count);
    else
      std::copy_n(from, count, to);
  }
  static void put_back(const Sum* from, Stored* to, int64_t count) {
    if constexpr (kNarrow)
      narrow(from, to, count);
    else
      std::copy_n(from, count, to);
  }

  // Columns of windows of x.
  const Sum* gathered(const ColumnPart& part, Scratch<Sum>& scratch) const {
    const Bits* x = reinterpret_cast<const Bits*>(input());
    int64_t count = part.channels * taps_ * part.positions;
    Sum* to = scratch.take(count);
    if constexpr (kNarrow) {
      thread_local std::vector<Bits> bits;
      if (int64_t(bits.size()) < count) bits.resize(size_t(count));
      columns_.gather(x, part, bits.data());
      widen(reinterpret_cast<const Stored*>(bits.data()), to, count);
    } else {
      columns_.gather(x, part, to);
    }
    return to;
  }
  const Stored* input() const { return places_[terms_.result == ConvolutionResult::weight ? 2 : 1]; }

  void gemm(bool left_turned, bool right_turned, int64_t m, int64_t n, int64_t k, const Sum* a, int64_t a_leading,
            const Sum* b, int64_t b_leading, Sum beta, Sum* out, int64_t leading) const {
    calls_.gemm(kRowMajor, left_turned ? kTransposed : kAsStored, right_turned ? kTransposed : kAsStored, int(m),
                int(n), int(k), 1, a, int(a_leading), b, int(b_leading), beta, out, int(leading));
  }

  void output_part(int64_t number) {
    const int64_t tile = number % tiles_, group = number / tiles_ % terms_.groups;
    const int64_t first = tile * tile_, outputs = std::min(tile_, group_outputs_ - first);
    const int64_t output = group * group_outputs_ + first;
    ColumnPart part = windows(number / tiles_ / terms_.groups);
    const int64_t most = channels_at_a_time(group_channels_);
    Scratch<Sum> scratch((outputs + most * taps_) * part.positions);

    const bool in_place = !kNarrow && is_of_one_image(part);
    Sum* y = in_place
                 ? reinterpret_cast<Sum*>(places_[0]) +
                       (part.position / positions_ * terms_.outputs + output) * positions_ + part.position % positions_
                 : scratch.take(outputs * part.positions);
    const int64_t leading = in_place ? positions_ : part.positions;
    if (terms_.bias) {
      for (int64_t row = 0; row < outputs; row++) {
        Sum bias;
        put(places_[3] + output + row, &bias, 1);
        std::fill_n(y + row * leading, part.positions, bias);
      }
    }
    for (int64_t channel = 0; channel < group_channels_; channel += most) {
      part.channels = std::min(most, group_channels_ - channel);
      part.channel = group * group_channels_ + channel;
      Scratch<Sum> rest = scratch;
      Rows right = is_pointwise_ ? rows(input(), terms_.channels, part.channel, part.channels, part, rest)
                                 : Rows{gathered(part, rest), part.positions};
      gemm(false, false, outputs, part.positions, part.channels * taps_, weight_ + output * depth_ + channel * taps_,
           depth_, right.data, right.leading, channel == 0 && !terms_.bias ? 0 : 1, y, leading);
    }
    if (in_place) return;
    for (int64_t row = 0; row < outputs; row++) {
      each_image(part, [&](int64_t image, int64_t from, int64_t count, int64_t column) {
        put_back(y + row * leading + column, places_[0] + (image * terms_.outputs + output + row) * positions_ + from,
                 count);
      });
    }
  }

  // Of whole planes, which nobody else adds to.
  void input_part(int64_t number) {
    const int64_t tile = number % tiles_, group = number / tiles_ % terms_.groups,
                  batch = number / tiles_ / terms_.groups;
    const int64_t first = tile * tile_, channels = std::min(tile_, group_channels_ - first);
    const int64_t channel = group * group_channels_ + first, output = group * group_outputs_;
    const int64_t image = batch * planes_, images = std::min(planes_, terms_.images - image);
    const int64_t most = channels_at_a_time(channels);
    Scratch<Sum> scratch((kNarrow ? images * channels * elements_ : 0) + (group_outputs_ + most * taps_) * stretch_);

    const int64_t step = kNarrow ? channels * elements_ : terms_.channels * elements_;
    Sum* x = kNarrow ? scratch.take(images * step)
                     : reinterpret_cast<Sum*>(places_[0]) + (image * terms_.channels + channel) * elements_;
    for (int64_t each = 0; each < images; each++) std::fill_n(x + each * step, channels * elements_, Sum(0));
    const int64_t from = image * positions_, end = from + images * positions_;
    for (int64_t position = from; position < end; position += stretch_) {
      ColumnPart part = {0, 0, position, std::min(stretch_, end - position)};
      Scratch<Sum> rest = scratch;
      Rows above = rows(places_[1], terms_.outputs, output, group_outputs_, part, rest);
      for (int64_t done = 0; done < channels; done += most) {
        part.channel = channel + done;
        part.channels = std::min(most, channels - done);
        Scratch<Sum> more = rest;
        const bool in_place = is_pointwise_ && images == 1;
        Sum* columns =
            in_place ? x + done * elements_ + (position - from) : more.take(part.channels * taps_ * part.positions);
        gemm(true, false, part.channels * taps_, part.positions, group_outputs_,
             weight_ + output * depth_ + (first + done) * taps_, depth_, above.data, above.leading, 0, columns,
             in_place ? elements_ : part.positions);
        if (!in_place) columns_.scatter(columns, part, x + done * elements_, step);
      }
    }
    if constexpr (kNarrow) {
      for (int64_t each = 0; each < images; each++)
        put_back(x + each * step, places_[0] + ((image + each) * terms_.channels + channel) * elements_,
                 channels * elements_);
    }
  }

  void weight_part(int64_t number) {
    const int64_t tile = number % tiles_, group = number / tiles_ % terms_.groups,
                  split = number / tiles_ / terms_.groups;
    const int64_t first = tile * tile_, channels = std::min(tile_, group_channels_ - first);
    const int64_t channel = group * group_channels_ + first, output = group * group_outputs_;
    Scratch<Sum> scratch((group_outputs_ + channels * taps_) * stretch_);
    Sum* sums =
        (has_sums() ? sums_ + split * weights() : reinterpret_cast<Sum*>(places_[0])) + output * depth_ + first * taps_;
    const int64_t begin = split * stretches_ / splits_, end = (split + 1) * stretches_ / splits_;
    for (int64_t stretch = begin; stretch < end; stretch++) {
      ColumnPart part = windows(stretch);
      part.channel = channel;
      part.channels = channels;
      Scratch<Sum> rest = scratch;
      Rows above = rows(places_[1], terms_.outputs, output, group_outputs_, part, rest);
      Rows columns = is_pointwise_ ? rows(input(), terms_.channels, channel, channels, part, rest)
                                   : Rows{gathered(part, rest), part.positions};
      gemm(false, true, group_outputs_, channels * taps_, part.positions, above.data, above.leading, columns.data,
           columns.leading, stretch == begin ? 0 : 1, sums, depth_);
    }
  }

  // The sums over parts of the images, in their order.
  void add_sums() {
    for (int64_t split = 1; split < splits_; split++) {
      const Sum* more = sums_ + split * weights();
      for (int64_t i = 0; i < weights(); i++) sums_[i] += more[i];
    }
    put_back(sums_, places_[0], weights());
  }

  LibraryContext context_;
  const ConvolutionTerms terms_;
  const std::vector<uint64_t> bytes_;
  const BlasCalls<Sum>& calls_;
  const WindowColumns columns_;
  const int64_t taps_, elements_, positions_, group_channels_, group_outputs_, depth_;
  const bool is_pointwise_;
  int64_t stretch_, stretches_, stretches_of_plane_, planes_;  // windows at a time; how many times; planes at a time
  int64_t tile_ = 1, tiles_ = 1;                               // channels or outputs of a part
  int64_t batches_ = 1, splits_ = 1, parts_ = 1;
  void (Convolution::*part_)(int64_t) = nullptr;
  // Of the run under way.
  Stored* places_[4] = {};
  const Sum* weight_ = nullptr;
  Sum* sums_ = nullptr;  // of each part of the images
};

std::unique_ptr<PlannedCall> plan_convolution(LibraryContext& context, const PlanRequest& request) {
  ConvolutionTerms terms(request);
  if (terms.channels_last)
    throw DeviceError("UNSUPPORTED", "The convolution by OpenBLAS takes planes of channels, one after the other.");
  for (int64_t size : {terms.elements(), terms.positions(), terms.channels * terms.taps(), terms.outputs}) {
    if (size > INT_MAX / 2)
      throw DeviceError("UNSUPPORTED",
                        "OpenBLAS does not multiply matrices with " + std::to_string(size) + " columns.");
  }
  auto planned = [&](auto stored) -> std::unique_ptr<PlannedCall> {
    return std::make_unique<Convolution<decltype(stored)>>(context, terms, openblas());
  };
  if (terms.type == "float32") return planned(float{});
  if (terms.type == "float64") return planned(double{});
  if (terms.type == "bfloat16") return planned(Bfloat16{});
  return planned(Float16{});
}

}  // namespace

LibraryRows convolution_rows() { return {{"convolution", plan_convolution}}; }

}  // namespace warpcell::cpu
