import { defineStore } from 'pinia'
import { shallowRef } from 'vue'
import type { Notice } from '../../shared/ipc/app.ts'
import { call } from '../ipc/call.ts'
import { subscribe } from '../ipc/subscriptions.ts'

/** What the user should know that belongs to no single call; newest first, each once. */
export const useNotices = defineStore('notices', () => {
  const list = shallowRef<readonly Notice[]>([])

  function add(notice: Notice): void {
    list.value = [notice, ...list.value.filter(({ id }) => id !== notice.id)]
  }

  /** Removed from the page at once, whether or not the service process hears of it. */
  async function dismiss(id: string): Promise<void> {
    list.value = list.value.filter((notice) => notice.id !== id)
    await call('app.dismissNotice', { id }).catch(() => undefined)
  }

  function start(known: readonly Notice[]): void {
    subscribe('app.notice', add)
    for (const notice of known) add(notice)
  }

  return { list, add, dismiss, start }
})

/** What became of messages, by id, for all who show them. */
export const useMessageStates = defineStore('announced', () => {
  /** Those that have left the lower edge of the place: they are only in the history now. */
  const hiddenIds = shallowRef<ReadonlySet<string>>(new Set())
  /** Those that the user removed. */
  const dismissedIds = shallowRef<ReadonlySet<string>>(new Set())

  function hide(id: string): void {
    hiddenIds.value = new Set([...hiddenIds.value, id])
  }

  function dismiss(id: string): void {
    dismissedIds.value = new Set([...dismissedIds.value, id])
  }

  return { past: hiddenIds, dismissed: dismissedIds, leave: hide, dismiss }
})
