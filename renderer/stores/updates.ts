import { defineStore } from 'pinia'
import { shallowRef } from 'vue'
import type { AppError } from '../../shared/errors.ts'
import type { UpdateState } from '../../shared/ipc/updates.ts'
import { call } from '../ipc/call.ts'
import { subscribe } from '../ipc/subscriptions.ts'
import { toAppError } from './errors.ts'

type UpdateStep = 'check' | 'download' | 'cancel' | 'install'

/** Updates of this program. Each step is one that the user started. */
export const useUpdates = defineStore('updates', () => {
  const state = shallowRef<UpdateState | null>(null)
  /** Why the last call was refused; later failures are in the state. */
  const error = shallowRef<AppError | null>(null)
  let isFollowing = false

  async function ask(method: 'updates.get' | `updates.${UpdateStep}`): Promise<void> {
    try {
      error.value = null
      state.value = await call(method, {})
    } catch (thrown) {
      error.value = toAppError(thrown)
    }
  }

  /** Subscribes to the state and reads it. */
  function follow(): void {
    if (!isFollowing) subscribe('updates.changed', (next) => (state.value = next))
    isFollowing = true
    void ask('updates.get')
  }

  return { state, error, follow, runStep: (step: UpdateStep) => ask(`updates.${step}`) }
})
