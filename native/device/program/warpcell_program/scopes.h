// cuda::atomic, cuda::barrier and their kin for the host code of a program, which knows them by name alone.
#pragma once

namespace cuda {
enum thread_scope { thread_scope_system, thread_scope_device, thread_scope_block, thread_scope_thread };
template <class T, thread_scope Scope = thread_scope_system>
class atomic;
template <class T, thread_scope Scope = thread_scope_system>
class atomic_ref;
template <thread_scope Scope, class Completion = void>
class barrier;
template <thread_scope Scope>
class latch;
template <thread_scope Scope, long Most = 1>
class counting_semaphore;
template <thread_scope Scope>
using binary_semaphore = counting_semaphore<Scope>;
template <thread_scope Scope>
class pipeline;
template <thread_scope Scope, unsigned char Stages>
class pipeline_shared_state;
}  // namespace cuda
