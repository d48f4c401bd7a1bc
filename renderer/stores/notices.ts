import { defineStore } from './define-store.ts'
import { shallowRef } from 'vue'
import type { Notice } from '../../shared/ipc/app.ts'
import { call } from '../ipc/call.ts'
import { subscribe } from '../ipc/subscriptions.ts'

/** Messages from the service process that answer no call, newest first, each once. */
export const useNotices = defineStore('notices', () => {
  const list = shallowRef<readonly Notice[]>([])

  function add(notice: Notice): void {
    list.value = [notice, ...list.value.filter(({ id }) => id !== notice.id)]
  }

  /** Removes the notice from the page at once, even if the service process cannot be reached. */
  async function dismiss(id: string): Promise<void> {
    list.value = list.value.filter((notice) => notice.id !== id)
    await call('app.dismissNotice', { id }).catch(() => undefined)
  }

  function start(initialNotices: readonly Notice[]): void {
    subscribe('app.notice', add)
    for (const notice of initialNotices) add(notice)
  }

  return { list, add, dismiss, start }
})

/** Ids of messages that are hidden or dismissed. */
export const useMessageStates = defineStore('message-states', () => {
  /** Messages that were hidden after a while and are listed only in the history. */
  const hiddenIds = shallowRef<ReadonlySet<string>>(new Set())
  const dismissedIds = shallowRef<ReadonlySet<string>>(new Set())

  function hide(id: string): void {
    hiddenIds.value = new Set([...hiddenIds.value, id])
  }

  function dismiss(id: string): void {
    dismissedIds.value = new Set([...dismissedIds.value, id])
  }

  return { hiddenIds, dismissedIds, hide, dismiss }
})
