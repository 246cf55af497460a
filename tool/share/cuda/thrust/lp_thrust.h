// Thrust, as declarations: vectors, pointers and the algorithms host code calls around kernels.
// https://nvidia.github.io/cccl/thrust/
#pragma once
#include "../cuda_runtime.h"
#include <complex>
#include <functional>
#include <vector>

namespace thrust {

template <typename T> class device_ptr {
public:
  device_ptr(T *p = nullptr) : p_(p) {}
  T *get() const { return p_; }
  device_ptr operator+(ptrdiff_t n) const { return device_ptr(p_ + n); }
  T &operator[](ptrdiff_t n) const { return p_[n]; }
  T &operator*() const { return *p_; }

private:
  T *p_;
};
template <typename T> device_ptr<T> device_pointer_cast(T *p) { return device_ptr<T>(p); }
template <typename T> T *raw_pointer_cast(T *p) { return p; }
template <typename T> T *raw_pointer_cast(device_ptr<T> p) { return p.get(); }

template <typename T> class host_vector : public std::vector<T> {
public:
  using std::vector<T>::vector;
  template <typename Other> host_vector(const Other &other);
  template <typename Other> host_vector &operator=(const Other &other);
};
template <typename T> class device_vector {
public:
  typedef device_ptr<T> iterator;
  device_vector();
  explicit device_vector(size_t n);
  device_vector(size_t n, T value);
  template <typename Iterator> device_vector(Iterator first, Iterator last);
  template <typename Other> device_vector(const Other &other);
  template <typename Other> device_vector &operator=(const Other &other);
  iterator begin() const;
  iterator end() const;
  device_ptr<T> data() const;
  size_t size() const;
  bool empty() const;
  void resize(size_t n);
  void clear();
  void push_back(const T &value);
  T &operator[](size_t n) const;
};

template <typename T = void> struct plus : std::plus<T> {};
template <typename T = void> struct minus : std::minus<T> {};
template <typename T = void> struct multiplies : std::multiplies<T> {};
template <typename T = void> struct less : std::less<T> {};
template <typename T = void> struct greater : std::greater<T> {};
template <typename T> struct maximum {
  __host__ __device__ T operator()(const T &a, const T &b) const { return a < b ? b : a; }
};
template <typename T> struct minimum {
  __host__ __device__ T operator()(const T &a, const T &b) const { return b < a ? b : a; }
};

template <typename... Args> void fill(Args &&...args);
template <typename... Args> void sequence(Args &&...args);
template <typename... Args> void sort(Args &&...args);
template <typename... Args> void sort_by_key(Args &&...args);
template <typename... Args> void transform(Args &&...args);
template <typename... Args> void copy(Args &&...args);
template <typename... Args> void generate(Args &&...args);
template <typename... Args> void for_each(Args &&...args);
template <typename... Args> void exclusive_scan(Args &&...args);
template <typename... Args> void inclusive_scan(Args &&...args);
template <typename Iterator>
typename std::remove_reference<decltype(*std::declval<Iterator>())>::type reduce(Iterator first,
                                                                                 Iterator last);
template <typename Iterator, typename T> T reduce(Iterator first, Iterator last, T initial);
template <typename Iterator, typename T, typename Op>
T reduce(Iterator first, Iterator last, T initial, Op op);
template <typename Iterator> Iterator max_element(Iterator first, Iterator last);
template <typename Iterator> Iterator min_element(Iterator first, Iterator last);

template <typename T> class counting_iterator {
public:
  __host__ __device__ counting_iterator(T value = T()) : value_(value) {}
  __host__ __device__ T operator*() const { return value_; }
  __host__ __device__ T operator[](ptrdiff_t n) const { return value_ + (T)n; }

private:
  T value_;
};
template <typename T> counting_iterator<T> make_counting_iterator(T value) { return value; }

template <typename T> struct complex : std::complex<T> {
  using std::complex<T>::complex;
};

namespace cuda {
struct par_t {
  par_t on(cudaStream_t) const { return *this; }
};
static constexpr par_t par{};
} // namespace cuda
struct device_policy_t {};
static constexpr device_policy_t device{};
static constexpr device_policy_t host{};

} // namespace thrust
