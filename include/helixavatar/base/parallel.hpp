// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <functional>

namespace helixavatar {

/// Calls body(i) for every i in [0, count), on at most `threads` threads (0: one a core). Which thread runs which i is
/// not fixed, so a body writes only to places that belong to its i: then the result does not depend on `threads`.
/// An exception thrown by a body is rethrown here after all threads have stopped.
void parallel_for(std::size_t count, const std::function<void(std::size_t)>& body, unsigned threads = 0);

/// What 0 threads means now: 1 in a process that has no second core to itself.
unsigned threads_at_hand();

/// What 0 threads means from here on in this process: a worker that shares the machine with others takes its part.
void share_cores(unsigned threads);

}  // namespace helixavatar
