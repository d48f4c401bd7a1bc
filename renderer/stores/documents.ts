import { defineStore } from 'pinia'
import { reactive, watch } from 'vue'
import { useConnection } from './connection.ts'

/** Titles of documents by their content id, as the answers that were read so far gave them: no endpoint asks for one alone. */
export const useDocuments = defineStore('documents', () => {
  const connection = useConnection()
  const titles = reactive(new Map<string, string>())
  watch(
    () => connection.state.profile?.id,
    () => titles.clear(),
  )

  function remember(bookmd5: unknown, title: unknown): void {
    if (typeof bookmd5 === 'string' && typeof title === 'string' && title !== '') titles.set(bookmd5, title)
  }

  return { titleOf: (bookmd5: string): string | null => titles.get(bookmd5) ?? null, remember }
})
