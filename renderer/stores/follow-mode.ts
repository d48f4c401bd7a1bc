import { useDocumentVisibility } from '@vueuse/core'
import { defineStore } from 'pinia'
import { computed, ref, shallowRef, watch } from 'vue'
import type { HostContext } from '../../shared/bridge/resources/state.ts'
import type { AppError } from '../../shared/errors.ts'
import { useConnection } from './connection.ts'
import { useDataChanges } from './data-changes.ts'
import { toAppError, isCancellation } from './errors.ts'
import { collectDataFacts, DataFactHistory } from '../../shared/bridge/data-change.ts'
import { computePollDelayMs } from './poll-delay.ts'
import { readEndpoint } from './host-read.ts'

/** Why nothing is read, or what is seen. Only in `following` is the selection known to be current. */
type FollowPhase = 'off' | 'hidden' | 'offline' | 'failing' | 'starting' | 'unavailable' | 'following'

/** What is selected in the host. */
interface HostSelection {
  readonly noteid: string
  readonly title: string
  readonly topicid: string
}

/**
 * Polls `GET /context` while it is on: never two reads at once, slower when the host is slow or fails, not at all while the page is hidden
 * or the host offline. Not remembered, because nobody asked for a program that polls from the start.
 */
export const useFollowMode = defineStore('follow', () => {
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
    const note = [...(selectedNotes ?? []), focusedNote].find((one) => one?.noteid)
    return note?.noteid ? { noteid: note.noteid, title: note.title ?? '', topicid: studySet?.topicid ?? '' } : null
  })

  async function pollContext(): Promise<void> {
    const mine = new AbortController()
    running = mine
    const started = performance.now()
    try {
      const { value, meta } = await readEndpoint('context.get', {}, { signal: mine.signal })
      if (running !== mine) return
      noticeChange(value)
      context.value = value
      readAt.value = meta.receivedAt
      error.value = null
      failures = 0
    } catch (thrown) {
      if (running !== mine || isCancellation(thrown)) return
      error.value = toAppError(thrown)
      failures += 1
    }
    const pause = computePollDelayMs(failures, performance.now() - started, error.value?.wire.retryAfterSeconds)
    timer = setTimeout(() => void pollContext(), pause)
  }

  /** The same study set, card or document as before, and yet different: somebody changed it. */
  function noticeChange(now: HostContext): void {
    const fact = history.update(factsOf(now))
    if (fact && readAt.value !== null) {
      changes.notice(fact, now.studySet?.topicid ?? null, readAt.value - NOTICE_SLACK_MS)
    }
  }

  function stop(): void {
    running?.abort()
    running = null
    clearTimeout(timer)
  }

  watch(active, (now) => {
    stop()
    failures = 0
    if (now) void pollContext()
  })
  // What one host had selected is not the next one's.
  watch([isEnabled, () => connection.state.profile?.id], () => {
    context.value = null
    error.value = null
    readAt.value = null
    history = new DataFactHistory()
  })

  return { on: isEnabled, phase, selection, context, readAt, error, toggle: () => (isEnabled.value = !isEnabled.value) }
})

/** A request that changed something ended about this long before the context showed it, at most. */
const NOTICE_SLACK_MS = 2_000

/** What a context says of each thing that it names, and its title, by id: selecting another card changes no data. */
function factsOf({ studySet, focusedNote, selectedNotes = [], documents = [] }: HostContext): Record<string, string> {
  const things = [
    { id: studySet?.topicid, thing: studySet },
    ...[focusedNote, ...selectedNotes].map((note) => ({ id: note?.noteid, thing: note })),
    ...documents.map((document) => ({ id: document.bookmd5, thing: document })),
  ]
  const facts = things.flatMap(({ id, thing }): [string, string][] => {
    if (!id || !thing) return []
    const { title } = thing
    return [
      ...Object.entries(collectDataFacts(thing, id)),
      ...(title === undefined ? [] : [[`title of ${id}`, title] as [string, string]]),
    ]
  })
  return Object.fromEntries(facts)
}
