import { defineStore } from 'pinia'
import { shallowRef } from 'vue'

/** What became of messages, by id, for all who show them. */
export const useAnnounced = defineStore('announced', () => {
  /** Those that have left the lower edge of the place: they are only in the history now. */
  const past = shallowRef<ReadonlySet<string>>(new Set())
  /** Those that the user removed. */
  const dismissed = shallowRef<ReadonlySet<string>>(new Set())

  function leave(id: string): void {
    past.value = new Set([...past.value, id])
  }

  function dismiss(id: string): void {
    dismissed.value = new Set([...dismissed.value, id])
  }

  return { past, dismissed, leave, dismiss }
})
