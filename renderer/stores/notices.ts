import { defineStore } from './define-store.ts'
import { shallowRef } from 'vue'
import type { Notice } from '../../shared/ipc/app.ts'
import { call } from '../ipc/call.ts'
import { subscribe } from '../ipc/subscriptions.ts'

export const SAVED_FILE_CODE = 'FILE_SAVED'

/** Messages from the service process that answer no call, newest first, each once. */
export const useNotices = defineStore('notices', () => {
  const list = shallowRef<readonly Notice[]>([])
  /** The text of the file that was saved last; null if it cannot be copied. */
  const savedText = shallowRef<Blob | null>(null)

  /** Only the last file that was saved has a message. */
  function add(notice: Notice): void {
    const isReplaced = ({ id, code }: Notice): boolean =>
      id === notice.id || (code === SAVED_FILE_CODE && notice.code === SAVED_FILE_CODE)
    list.value = [notice, ...list.value.filter((other) => !isReplaced(other))]
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

  return { list, savedText, add, dismiss, start }
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
