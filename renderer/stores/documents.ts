import { defineStore } from './define-store.ts'
import { computed, reactive, watch, type ComputedRef } from 'vue'
import { isObject } from '../../shared/json/object.ts'
import { AppError } from '../../shared/errors.ts'
import { inspectJson } from '../../shared/json/inspection.ts'
import { useConnection } from './connection.ts'
import { readEndpoint, useRead } from './host-read.ts'

/** Collected from all responses, because no endpoint returns only a document's title. */
export const useDocuments = defineStore('documents', () => {
  const connection = useConnection()
  const titles = reactive(new Map<string, string>())
  watch(
    () => connection.state.profile?.id,
    () => titles.clear(),
  )

  function rememberTitle(bookmd5: string, title: string | null | undefined): void {
    if (title) titles.set(bookmd5, title)
  }

  return { titleOf: (bookmd5: string): string | null => titles.get(bookmd5) ?? null, rememberTitle }
})

/** Uses duplicates, the shortest response with a title; null without one. @throws AppError */
export async function readDocumentTitle(bookmd5: string, signal: AbortSignal): Promise<string | null> {
  const documents = useDocuments()
  const options = { params: { bookmd5 }, query: { duplicatesOnly: 1 } }
  const title = await readEndpoint('documents.excerpts', options, { signal }).then(
    ({ value }) => value.title ?? null,
    (error: unknown) => {
      const titleBesideInvalidList = parseTitle(error)
      if (titleBesideInvalidList === null) throw error
      return titleBesideInvalidList
    },
  )
  documents.rememberTitle(bookmd5, title)
  return title
}

/** Loads a title; null while unknown: a page shows the failures of its own requests only. */
export function useDocumentTitle(bookmd5: () => string): ComputedRef<string | null> {
  const documents = useDocuments()
  const connection = useConnection()
  watch(
    [bookmd5, () => connection.online],
    ([id, online], _before, onCleanup) => {
      if (id === '' || !online || documents.titleOf(id) !== null) return
      const controller = new AbortController()
      onCleanup(() => controller.abort())
      readDocumentTitle(id, controller.signal).catch(() => undefined)
    },
    { immediate: true },
  )
  return computed(() => documents.titleOf(bookmd5()))
}

/** Loads a study set's documents; gives a title, or the id while the title is unknown. */
export function useDocumentNameLookup(topicid: () => string): (bookmd5: string) => string {
  const documents = useDocuments()
  const connection = useConnection()
  const read = useRead('studySets.documents', () =>
    topicid() !== '' && connection.online ? { params: { topicid: topicid() } } : null,
  )
  watch(
    () => read.data,
    (response) => {
      for (const { bookmd5, title } of response?.value.documents ?? [])
        if (bookmd5) documents.rememberTitle(bookmd5, title)
    },
  )
  return (bookmd5) => (bookmd5 === '' ? '' : (documents.titleOf(bookmd5) ?? bookmd5))
}

/** Finds the title in a response whose list is invalid. */
function parseTitle(error: unknown): string | null {
  if (!(error instanceof AppError) || error.responseBytes === null) return null
  const { value } = inspectJson(new Uint8Array(error.responseBytes))
  const title = isObject(value) ? value['title'] : null
  return typeof title === 'string' ? title : null
}
