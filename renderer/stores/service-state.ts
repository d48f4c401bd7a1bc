import { shallowRef, type ShallowRef } from 'vue'
import type { AppError } from '../../shared/errors.ts'
import { toAppError } from './errors.ts'

/**
 * A state of the service process: the page reads it, commands reply with it, pushes carry it. A
 * push may overtake a reply, and a reply an earlier one, so nothing replaces what was begun later.
 * The service process pushes each change, so no change is missed.
 */
export function useServiceState<T>(initial: T) {
  const state = shallowRef(initial) as ShallowRef<T>
  /** Why the last `tryApply` failed; null once the state is known. */
  const error = shallowRef<AppError | null>(null)
  let lastBegun = 0
  let lastShown = 0

  function begin(): (next: T, failure?: AppError) => void {
    lastBegun += 1
    const number = lastBegun
    return (next, failure) => {
      if (number < lastShown) return
      lastShown = number
      state.value = next
      error.value = failure ?? null
    }
  }

  return {
    state,
    error,
    /** Shows a state that was pushed. */
    accept: (next: T): void => begin()(next),
    /** Shows the state that was requested just now. @throws what `reply` rejects with */
    async apply(reply: Promise<T>): Promise<void> {
      const show = begin()
      show(await reply)
    },
    /** Shows the state that was requested just now or, as `error`, why it is not known. */
    async tryApply(reply: Promise<T>): Promise<void> {
      const show = begin()
      await reply.then(
        (next) => show(next),
        (thrown: unknown) => show(state.value, toAppError(thrown)),
      )
    },
  }
}
