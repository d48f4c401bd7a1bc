import { useDocumentVisibility } from '@vueuse/core'
import { defineStore } from './define-store.ts'
import { computed, ref, shallowRef, watch } from 'vue'
import type { HostContext } from '../../shared/bridge/resources/state.ts'
import type { AppError } from '../../shared/errors.ts'
import { useConnection } from './connection.ts'
import { useDataChanges } from './data-changes.ts'
import { toAppError, isCancellation } from './errors.ts'
import { collectDataFacts, DataFactHistory } from '../../shared/bridge/data-change.ts'
import { computePollDelayMs } from './poll-delay.ts'
import { readEndpoint } from './host-read.ts'

/** The selection is known to be current only in `following`. */
type FollowPhase = 'off' | 'hidden' | 'offline' | 'failing' | 'starting' | 'unavailable' | 'following'

interface HostSelection {
  readonly noteid: string
  readonly title: string
  readonly topicid: string
}

/**
 * Polls `GET /context` while the mode is on. Reads never overlap, are less frequent if the host is
 * slow or fails, and stop while the page is hidden or the host is offline. The setting is not
 * stored, so polling never begins by itself when the program starts.
 */
export const useFollowMode = defineStore('follow-mode', () => {
  const connection = useConnection()
  const changes = useDataChanges()
  const visibility = useDocumentVisibility()
  const isEnabled = ref(false)
  const context = shallowRef<HostContext | null>(null)
  const readAt = ref<number | null>(null)
  let history = new DataFactHistory()
  const error = shallowRef<AppError | null>(null)
  let failures = 0
  let running: AbortController | null = null
  let timer: ReturnType<typeof setTimeout> | undefined

  const active = computed(() => isEnabled.value && visibility.value === 'visible' && connection.online)
  const phase = computed<FollowPhase>(() => {
    if (!isEnabled.value) return 'off'
    if (!connection.online) return 'offline'
    if (visibility.value !== 'visible') return 'hidden'
    if (error.value) return 'failing'
    if (!context.value) return 'starting'
    return context.value.available === false ? 'unavailable' : 'following'
  })
  const selection = computed<HostSelection | null>(() => {
    if (phase.value !== 'following' || !context.value) return null
    const { selectedNotes, focusedNote, studySet } = context.value
    const note = [...(selectedNotes ?? []), focusedNote].find((candidate) => candidate?.noteid)
    return note?.noteid ? { noteid: note.noteid, title: note.title ?? '', topicid: studySet?.topicid ?? '' } : null
  })

  async function pollContext(): Promise<void> {
    const controller = new AbortController()
    running = controller
    const startedAt = performance.now()
    try {
      const { value, meta } = await readEndpoint('context.get', {}, { signal: controller.signal })
      if (running !== controller) return
      reportChange(value)
      context.value = value
      readAt.value = meta.receivedAt
      error.value = null
      failures = 0
    } catch (thrown) {
      if (running !== controller || isCancellation(thrown)) return
      error.value = toAppError(thrown)
      failures += 1
    }
    const pause = computePollDelayMs(failures, performance.now() - startedAt, error.value?.wire.retryAfterSeconds)
    timer = setTimeout(() => void pollContext(), pause)
  }

  /** Reports it if the same study set, card or document is selected, and its data differ. */
  function reportChange(next: HostContext): void {
    const fact = history.update(collectContextFacts(next))
    if (fact && readAt.value !== null) {
      changes.reportFact(fact, next.studySet?.topicid ?? null, readAt.value - NOTICE_SLACK_MS)
    }
  }

  function stop(): void {
    running?.abort()
    running = null
    clearTimeout(timer)
  }

  watch(active, (isActive) => {
    stop()
    failures = 0
    if (isActive) void pollContext()
  })
  // The selection in one host is meaningless for a different host.
  watch([isEnabled, () => connection.state.profile?.id], () => {
    context.value = null
    error.value = null
    readAt.value = null
    history = new DataFactHistory()
  })

  return { isEnabled, phase, selection, context, readAt, error, toggle: () => (isEnabled.value = !isEnabled.value) }
})

/** A request that changed data may end this long before the context shows the change. */
const NOTICE_SLACK_MS = 2_000

/** Data of a context by id, which the selection of another card does not change. */
function collectContextFacts({
  studySet,
  focusedNote,
  selectedNotes = [],
  documents = [],
}: HostContext): Record<string, string> {
  const entities = [
    { id: studySet?.topicid, entity: studySet },
    ...[focusedNote, ...selectedNotes].map((note) => ({ id: note?.noteid, entity: note })),
    ...documents.map((document) => ({ id: document.bookmd5, entity: document })),
  ]
  const facts = entities.flatMap(({ id, entity }): [string, string][] => {
    if (!id || !entity) return []
    const { title } = entity
    return [
      ...Object.entries(collectDataFacts(entity, id)),
      ...(title === undefined ? [] : [[`title of ${id}`, title] as [string, string]]),
    ]
  })
  return Object.fromEntries(facts)
}
