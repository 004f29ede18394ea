// SPDX-License-Identifier: MIT
#include <helixavatar/base/parallel.hpp>

#include <algorithm>
#include <atomic>
#include <exception>
#include <mutex>
#include <thread>
#include <vector>

namespace helixavatar {
namespace {

std::atomic<unsigned> default_threads{0};

}  // namespace

unsigned threads_at_hand() {
    const unsigned chosen = default_threads;
    return chosen > 0 ? chosen : std::max(1U, std::thread::hardware_concurrency());
}

void share_cores(unsigned threads) {
    default_threads = threads;
}

void parallel_for(std::size_t count, const std::function<void(std::size_t)>& body, unsigned threads) {
    if (threads == 0) threads = threads_at_hand();
    threads = static_cast<unsigned>(std::min<std::size_t>(threads, count));
    if (threads <= 1) {
        for (std::size_t i = 0; i < count; ++i) body(i);
        return;
    }
    std::atomic<std::size_t> next{0};
    std::exception_ptr failure;
    std::mutex failure_mutex;
    const auto work = [&] {
        try {
            for (std::size_t i = next++; i < count; i = next++) body(i);
        } catch (...) {
            const std::lock_guard lock(failure_mutex);
            if (!failure) failure = std::current_exception();
            next = count;
        }
    };
    std::vector<std::thread> pool;
    for (unsigned t = 1; t < threads; ++t) pool.emplace_back(work);
    work();
    for (std::thread& thread : pool) thread.join();
    if (failure) std::rethrow_exception(failure);
}

}  // namespace helixavatar
