
constexpr int lanes = 64;

// The chip that runs this, as a bit of the rows' chip sets.
static int chip = -1;
static int held = 0, failed = 0, measured = 0;

[[noreturn]] static void stop(const std::string &why) {
  std::fprintf(stderr, "probe: %s\n", why.c_str());
  std::exit(2);
}

static void check(hipError_t error, const char *what) {
  if (error != hipSuccess)
    stop(std::string(what) + ": " + hipGetErrorString(error));
}

static void line(const char *verdict, const std::string &row, const char *confidence,
                 const char *source, const std::string &more = "") {
  std::printf("%-9s %-46s %-12s %s%s%s\n", verdict, row.c_str(), confidence, source,
              more.empty() ? "" : "\n          ", more.c_str());
}

static void verdict(bool holds, const std::string &row, const char *confidence, const char *source,
                    const std::string &more = "") {
  ++(holds ? held : failed);
  line(holds ? "holds" : "FAILS", row, confidence, source, more);
}

// Device memory that goes with its scope.
template <class T> class Device {
public:
  explicit Device(const std::vector<T> &host) : size_(host.size()) {
    check(hipMalloc(reinterpret_cast<void **>(&data_), size_ * sizeof(T)), "hipMalloc");
    check(hipMemcpy(data_, host.data(), size_ * sizeof(T), hipMemcpyHostToDevice), "hipMemcpy");
  }
  ~Device() { (void)hipFree(data_); }
  Device(const Device &) = delete;
  Device &operator=(const Device &) = delete;
  T *get() const { return data_; }
  std::vector<T> read() const {
    check(hipDeviceSynchronize(), "kernel");
    std::vector<T> host(size_);
    check(hipMemcpy(host.data(), data_, size_ * sizeof(T), hipMemcpyDeviceToHost), "hipMemcpy");
    return host;
  }

private:
  T *data_ = nullptr;
  size_t size_;
};

static void launched() { check(hipGetLastError(), "launch"); }

static uint64_t bitsAt(const std::vector<unsigned> &words, size_t bit, int count) {
  uint64_t value = 0;
  for (int i = 0; i < count; ++i)
    value |= uint64_t(words[(bit + i) / 32] >> (bit + i) % 32 & 1) << i;
  return value;
}

static void setBits(std::vector<unsigned> &words, size_t bit, int count, uint64_t value) {
  for (int i = 0; i < count; ++i)
    words[(bit + i) / 32] |= unsigned(value >> i & 1) << (bit + i) % 32;
}

//===-- Numbers ------------------------------------------------------------===//

// Small whole numbers as the element types write them. `encoding`: where FNUZ and OCP
// differ, else "".
struct Format {
  const char *name, *encoding;
  int exponentBits, mantissaBits, bias;
};
static const Format formats[] = {
    {"f64", "", 11, 52, 1023}, {"f32", "", 8, 23, 127},  {"xf32", "", 8, 23, 127},
    {"f16", "", 5, 10, 15},    {"bf16", "", 8, 7, 127},  {"fp8", "OCP", 4, 3, 7},
    {"fp8", "FNUZ", 4, 3, 8},  {"bf8", "OCP", 5, 2, 15}, {"bf8", "FNUZ", 5, 2, 16},
    {"fp4", "", 2, 1, 1},      {"i32", "", 0, 31, 0},    {"i8", "", 0, 7, 0}};

static const Format &formatOf(const char *type) {
  for (const Format &format : formats)
    if (!std::strcmp(format.name, type) &&
        (!*format.encoding || !std::strcmp(format.encoding, chips[chip].fp8)))
      return format;
  stop(std::string("unknown element type ") + type);
}

static int widthOf(const Format &format) { return 1 + format.exponentBits + format.mantissaBits; }

// sign | exponent + bias | the bits behind the leading one.
static uint64_t encode(const Format &format, int value) {
  if (!format.exponentBits)
    return uint64_t(int64_t(value)) & (~uint64_t(0) >> (64 - widthOf(format)));
  if (value == 0)
    return 0;
  const uint64_t magnitude = value < 0 ? -value : value;
  int exponent = 0;
  while (magnitude >> (exponent + 1))
    ++exponent;
  const uint64_t mantissa = exponent <= format.mantissaBits
                                ? (magnitude ^ uint64_t(1) << exponent)
                                      << (format.mantissaBits - exponent)
                                : 0;
  return uint64_t(value < 0) << (format.exponentBits + format.mantissaBits) |
         uint64_t(exponent + format.bias) << format.mantissaBits | mantissa;
}

//===-- Matrix instructions ------------------------------------------------===//

static size_t placeOf(const Operand &operand, int lane, int element, int rows, int cols) {
  int place[3] = {0, 0, 0};
  int registerBits = 0;
  while (1 << registerBits < operand.elements)
    ++registerBits;
  const unsigned input = unsigned(lane) << registerBits | unsigned(element);
  for (size_t bit = 0; bit < operand.bases.size(); ++bit)
    if (input >> bit & 1)
      for (int i = 0; i < 3; ++i)
        place[i] ^= operand.bases[bit].place[i];
  return (size_t(place[2]) * rows + place[0]) * cols + place[1];
}

static int wordsOf(const Operand &operand) {
  return (operand.elements * widthOf(formatOf(operand.type)) + 31) / 32;
}

// Each lane's registers for a matrix, by the table's layout.
static std::vector<unsigned> pack(const Operand &operand, const std::vector<int> &matrix, int rows,
                                  int cols) {
  const Format &format = formatOf(operand.type);
  const int words = wordsOf(operand);
  std::vector<unsigned> registers(size_t(lanes) * words);
  for (int lane = 0; lane < lanes; ++lane)
    for (int element = 0; element < operand.elements; ++element)
      setBits(registers, size_t(lane) * words * 32 + size_t(element) * widthOf(format),
              widthOf(format), encode(format, matrix[placeOf(operand, lane, element, rows, cols)]));
  return registers;
}

struct Product {
  std::vector<int> a, b, c; // block after block, rows of columns
};

static unsigned nextRandom() {
  static uint64_t state = 1;
  state = state * 6364136223846793005u + 1442695040888963407u;
  return unsigned(state >> 33);
}

// A and B from -3 to 3, which every type can write; C numbers its places.
static Product productOf(const MatrixRow &row, bool zero) {
  Product product;
  for (int i = 0; i < row.blocks * row.m * row.k; ++i)
    product.a.push_back(zero ? 0 : int(nextRandom() % 7) - 3);
  for (int i = 0; i < row.blocks * row.k * row.n; ++i)
    product.b.push_back(zero ? 0 : int(nextRandom() % 7) - 3);
  for (int i = 0; i < row.blocks * row.m * row.n; ++i)
    product.c.push_back(i + 1);
  return product;
}

// D = C + A B, block by block.
static std::vector<int> multiply(const MatrixRow &row, const Product &p) {
  std::vector<int> d = p.c;
  for (int block = 0; block < row.blocks; ++block)
    for (int i = 0; i < row.m; ++i)
      for (int j = 0; j < row.n; ++j)
        for (int k = 0; k < row.k; ++k)
          d[(block * row.m + i) * row.n + j] +=
              p.a[(block * row.m + i) * row.k + k] * p.b[(block * row.k + k) * row.n + j];
  return d;
}

static std::vector<unsigned> execute(const MatrixRow &row, const std::vector<unsigned> &a,
                                     const std::vector<unsigned> &b, const std::vector<unsigned> &c,
                                     unsigned long long active) {
  Device<unsigned> inA(a), inB(b), inC(c), out(std::vector<unsigned>(c.size(), 0xdeadbeefu));
  row.kernel<<<dim3(1), dim3(lanes), 0, 0>>>(inA.get(), inB.get(), inC.get(), out.get(), active);
  launched();
  return out.read();
}

// "" or the first lane and element that is wrong.
static std::string firstWrong(const MatrixRow &row, const std::vector<unsigned> &got,
                              const std::vector<unsigned> &expected, int lastLane) {
  const int width = widthOf(formatOf(row.d.type)), words = wordsOf(row.d);
  for (int lane = 0; lane < lastLane; ++lane)
    for (int element = 0; element < row.d.elements; ++element) {
      const size_t bit = size_t(lane) * words * 32 + size_t(element) * width;
      if (bitsAt(got, bit, width) != bitsAt(expected, bit, width)) {
        char text[120];
        std::snprintf(text, sizeof text, "D lane %d element %d: bits %llx, expected %llx", lane,
                      element, (unsigned long long)bitsAt(got, bit, width),
                      (unsigned long long)bitsAt(expected, bit, width));
        return text;
      }
    }
  return "";
}

static std::string multiplyOnce(const MatrixRow &row, bool zero) {
  const Product p = productOf(row, zero);
  const auto got = execute(row, pack(row.a, p.a, row.m, row.k), pack(row.b, p.b, row.k, row.n),
                           pack(row.d, p.c, row.m, row.n), ~0ull);
  return firstWrong(row, got, pack(row.d, multiply(row, p), row.m, row.n), lanes);
}

// A B with half of the wave switched off: what do the others get?
static void halfWave(const MatrixRow &row) {
  const Product p = productOf(row, false);
  std::vector<unsigned> a = pack(row.a, p.a, row.m, row.k), b = pack(row.b, p.b, row.k, row.n);
  const std::vector<unsigned> c = pack(row.d, p.c, row.m, row.n);
  const auto full = execute(row, a, b, c, ~0ull);
  const auto half = execute(row, a, b, c, 0xffffffffull);
  std::fill(a.begin() + a.size() / 2, a.end(), 0u);
  std::fill(b.begin() + b.size() / 2, b.end(), 0u);
  const auto zeros = execute(row, a, b, c, ~0ull);
  const char *what = "lanes 0-31 get neither the whole product nor that with zeros";
  if (firstWrong(row, half, full, lanes / 2).empty())
    what = "lanes 0-31 get the whole product: switched-off lanes still give their operands";
  else if (firstWrong(row, half, zeros, lanes / 2).empty())
    what = "switched-off lanes give zeros";
  ++measured;
  line("measured", std::string(row.name) + ", half a wave", "-", "no source", what);
}

static void checkMatrix(const MatrixRow &row) {
  std::string wrong = multiplyOnce(row, true);
  if (!wrong.empty())
    return verdict(false, row.name, row.confidence, row.source, "with A = B = 0: " + wrong);
  for (int trial = 0; trial < 3 && wrong.empty(); ++trial)
    wrong = multiplyOnce(row, false);
  verdict(wrong.empty(), row.name, row.confidence, row.source, wrong);
  halfWave(row);
}

//===-- Cross-lane moves ---------------------------------------------------===//

static void checkMove(const MoveRow &row) {
  std::vector<unsigned> index = row.index;
  index.resize(lanes);
  Device<unsigned> in(index), out(std::vector<unsigned>(row.expected.size(), 0xdeadbeefu));
  row.kernel<<<dim3(1), dim3(lanes), 0, 0>>>(in.get(), out.get());
  launched();
  const std::vector<unsigned> got = out.read();
  std::string wrong;
  for (size_t i = 0; i < got.size() && wrong.empty(); ++i)
    if (got[i] != row.expected[i]) {
      char text[100];
      std::snprintf(text, sizeof text, "lane %d, result %d: %x, expected %x", int(i % lanes),
                    int(i / lanes), got[i], row.expected[i]);
      wrong = text;
    }
  verdict(wrong.empty(), std::string(row.name) + " " + row.control, "documented", row.source,
          wrong);
}

//===-- LDS ----------------------------------------------------------------===//

// Which element, counted over the wave, each lane's elements are. An element too
// narrow for its number carries a digit of it a launch.
static std::vector<unsigned> readTransposed(const TransposeRow &row) {
  const int elements = row.laneBits / row.elementBits, count = lanes * elements;
  std::vector<unsigned> numbers(count);
  for (int shift = 0; count >> shift; shift += row.elementBits) {
    std::vector<unsigned> digits(size_t(lanes) * row.laneBits / 32);
    for (int i = 0; i < count; ++i)
      setBits(digits, size_t(i) * row.elementBits, row.elementBits, uint64_t(i) >> shift);
    // A vector of three words is stored as four.
    const size_t stride = row.laneBits == 96 ? 128 : row.laneBits;
    Device<unsigned> in(digits), out(std::vector<unsigned>(lanes * stride / 32));
    row.kernel<<<dim3(1), dim3(lanes), 0, 0>>>(in.get(), out.get());
    launched();
    const std::vector<unsigned> got = out.read();
    for (int i = 0; i < count; ++i)
      numbers[i] |=
          unsigned(bitsAt(got, i / elements * stride + size_t(i % elements) * row.elementBits,
                          row.elementBits)
                   << shift);
  }
  return numbers;
}

static void checkTranspose(const TransposeRow &row) {
  const std::vector<unsigned> got = readTransposed(row);
  if (row.sources.empty()) {
    std::string text = "element read, for each bit of (element, lane):";
    for (size_t i = 1; i < got.size(); i *= 2)
      text += " " + std::to_string(got[i]);
    ++measured;
    return line("measured", row.name, row.confidence, row.source, text);
  }
  std::string wrong;
  for (unsigned i = 0; i < got.size() && wrong.empty(); ++i) {
    unsigned expected = 0;
    for (size_t bit = 0; bit < row.sources.size(); ++bit)
      expected ^= i >> bit & 1 ? row.sources[bit] : 0;
    if (got[i] != expected)
      wrong = "element " + std::to_string(i) + " of the wave is " + std::to_string(got[i]) +
              ", expected " + std::to_string(expected);
  }
  verdict(wrong.empty(), row.name, row.confidence, row.source, wrong);
}

static unsigned long long timeOf(const LdsRow &row, const Pattern &pattern) {
  std::vector<unsigned> addresses(lanes);
  for (int lane = 0; lane < lanes; ++lane)
    for (size_t bit = 0; bit < pattern.vectors.size(); ++bit)
      addresses[lane] ^= lane >> bit & 1 ? pattern.vectors[bit] : 0;
  Device<unsigned> in(addresses);
  Device<unsigned long long> out(std::vector<unsigned long long>(1));
  unsigned long long best = ~0ull;
  for (int i = 0; i < 8; ++i) {
    row.kernel<<<dim3(1), dim3(lanes), 0, 0>>>(in.get(), out.get());
    launched();
    best = std::min(best, out.read()[0]);
  }
  return best;
}

// The prediction holds if equal passes take equal time (within a tenth), more passes
// never less, and twice the passes at least a fifth more.
static bool agree(int passes, double time, int otherPasses, double otherTime) {
  if (passes > otherPasses)
    return agree(otherPasses, otherTime, passes, time);
  if (passes == otherPasses)
    return time <= 1.1 * otherTime && otherTime <= 1.1 * time;
  return otherTime >= 0.97 * time && (otherPasses < 2 * passes || otherTime >= 1.2 * time);
}

static void checkLds(const LdsRow &row) {
  std::vector<double> times;
  std::string text = "passes:clocks";
  for (const Pattern &pattern : row.patterns) {
    times.push_back(double(timeOf(row, pattern)) / 128);
    char number[40];
    std::snprintf(number, sizeof number, " %d:%.1f", pattern.passes, times.back());
    text += number;
  }
  // A clock that stands still says nothing.
  bool holds = !times.empty();
  for (double time : times)
    holds &= time > 0;
  for (size_t i = 0; i < times.size(); ++i)
    for (size_t j = 0; j < i; ++j)
      holds &= agree(row.patterns[i].passes, times[i], row.patterns[j].passes, times[j]);
  verdict(holds, std::string(row.name) + " phases", row.confidence, row.source, text);
}

//===-- All of it ----------------------------------------------------------===//

template <class Row> static void forEachRow(const Row *rows, void (*run)(const Row &)) {
  for (; rows->name; ++rows)
    if (rows->chips >> chip & 1)
      run(*rows);
}

static void findChip() {
  hipDeviceProp_t properties;
  check(hipGetDeviceProperties(&properties, 0), "hipGetDeviceProperties");
  const std::string full = properties.gcnArchName;
  const std::string name = full.substr(0, full.find(':'));
  for (size_t i = 0; i < sizeof chips / sizeof *chips; ++i)
    if (name == chips[i].name)
      chip = int(i);
  if (chip < 0)
    stop("this device is a " + name + ", for which nothing was written");
  std::printf("%s (%s)\n%-9s %-46s %-12s %s\n", properties.name, full.c_str(), "verdict", "row",
              "confidence", "source");
}

int main() {
  findChip();
  forEachRow(matrixRows, checkMatrix);
  forEachRow(moveRows, checkMove);
  forEachRow(transposeRows, checkTranspose);
  forEachRow(ldsRows, checkLds);
  std::printf("%d rows hold, %d fail, %d measured\n", held, failed, measured);
  return failed ? 1 : 0;
}
