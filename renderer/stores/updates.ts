import { defineStore } from './define-store.ts'
import type { UpdateState } from '../../shared/ipc/updates.ts'
import { call } from '../ipc/call.ts'
import { subscribe } from '../ipc/subscriptions.ts'
import { useAttempt } from './errors.ts'
import { useServiceState } from './service-state.ts'

type UpdateStep = 'check' | 'download' | 'cancel' | 'install'

/** The program checks for, downloads and installs updates only when the user asks for it. */
export const useUpdates = defineStore('updates', () => {
  const { state, accept, apply } = useServiceState<UpdateState | null>(null)
  /** Why the last call was refused. Failures after a successful call are in the state. */
  const { failure: error, attempt } = useAttempt()
  let isFollowing = false

  const ask = (method: 'updates.get' | `updates.${UpdateStep}`): Promise<boolean> =>
    attempt(() => apply(call(method, {})))

  function follow(): void {
    if (!isFollowing) subscribe('updates.changed', accept)
    isFollowing = true
    void ask('updates.get')
  }

  return { state, error, follow, runStep: (step: UpdateStep) => ask(`updates.${step}`) }
})
