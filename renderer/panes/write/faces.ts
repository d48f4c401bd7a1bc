import { computed, ref, watch, type ComputedRef, type Ref } from 'vue'
import { useI18n } from 'vue-i18n'
import type { FormValues } from '../../model/forms/command.ts'
import { member } from '../../../shared/bridge/operation-facts.ts'
import { sessionRecordOf } from '../../../shared/bridge/session-record.ts'
import { surfaceOf } from '../../../shared/bridge/writing-surface.ts'
import { commentChoices } from '../../../shared/cards/comments.ts'
import { tagsOf } from '../../model/cards/facts.ts'
import { useCard } from '../../stores/cards.ts'
import { useConnection } from '../../stores/connection.ts'
import { useListed } from '../../stores/listed.ts'
import { useRead } from '../../stores/read.ts'
import { replacesText, usePresentText } from './present-text.ts'

type Choices = Readonly<Record<string, readonly { readonly value: string; readonly label: string }[]>>

/** What a form knows besides its schema: values that were read or made, choices of the host, and where they come from. */
export interface WriteFace {
  readonly choices: ComputedRef<Choices>
  /** Values that are known of fields in which others can be typed. */
  readonly suggestions?: ComputedRef<Choices>
  readonly note: ComputedRef<string>
  /** What the form took from the host, to be read again; `newer`: the host has another one by now. */
  readonly revision: { readonly newer: ComputedRef<boolean>; reload(): void }
}

const none: ComputedRef<Choices> = computed(() => ({}))
const nothing = { newer: computed(() => false), reload: () => undefined }

/** The tailored face of a command; commands without one have their schema alone. */
export function useWriteFace(endpoint: string, values: Ref<FormValues>): WriteFace {
  const { t, te } = useI18n()
  const text = (name: string): string => {
    const value = values.value[name]
    return typeof value === 'string' ? value : ''
  }
  const note = computed(() => {
    const key = `write.note.${endpoint.replaceAll('.', '-')}`
    return te(key) ? t(key) : ''
  })
  if (endpoint === 'writing.pencilCommit' || endpoint.startsWith('writing.session')) {
    if (text('requestId') === '') values.value = { ...values.value, requestId: crypto.randomUUID() }
    if (endpoint !== 'writing.pencilCommit' && endpoint !== 'writing.sessionPause' && text('carrier') === '') {
      values.value = { ...values.value, carrier: 'focus' }
    }
    useWritingContext(values, text)
  }
  if (replacesText(endpoint)) usePresentText(endpoint, values, text)
  if (endpoint === 'notes.practiceVerdict') return practiceFace(values, text)
  if (endpoint === 'notes.metadata') return { choices: useFills(), note, revision: nothing }
  if (endpoint === 'notes.hashtags')
    return { choices: none, note: useTagNote(() => text('noteIds')), revision: nothing }
  return { choices: none, note, revision: nothing }
}

/** The revision comes from the card as it was read, the causes of error from the template's configuration (spec §4, §7). */
function practiceFace(values: Ref<FormValues>, text: (name: string) => string): WriteFace {
  const { t, d } = useI18n()
  const connection = useConnection()
  const card = useCard(() => text('noteid') || null)
  const template = useRead('immersive.template', () => (connection.online ? {} : null))
  const revision = computed(() => {
    const sent: unknown = card.item.value ? Reflect.get(card.item.value, 'commentsRevision') : null
    return typeof sent === 'string' || typeof sent === 'number' ? sent : null
  })
  /** The answer out of which the form took its revision: one that was opened with (spec §4), not whichever came in since. */
  const taken = ref<{ readonly revision: string | number; readonly at: number } | null>(null)
  /** Read before this does not count; null = the form has what it asked for. */
  let from: number | null = 0
  // Another card: what was taken was of the first one.
  watch(
    () => text('noteid'),
    () => {
      from = 0
      taken.value = null
      values.value = { ...values.value, expectedRevision: '', 'practice.topic': '' }
    },
    { flush: 'sync' },
  )
  watch(
    () => [revision.value, card.meta.value?.receivedAt, text('noteid')] as const,
    ([now, at]) => {
      if (from === null || now === null || at === undefined || at <= from) return
      from = null
      taken.value = { revision: now, at }
      values.value = { ...values.value, expectedRevision: now }
      if (text('practice.topic') === '') takeStudySet()
    },
    { immediate: true },
  )
  function takeStudySet(): void {
    const now: unknown = card.item.value ? Reflect.get(card.item.value, 'topicid') : null
    if (typeof now === 'string') values.value = { ...values.value, 'practice.topic': now }
  }
  const newer = computed(
    () => taken.value !== null && revision.value !== null && revision.value !== taken.value.revision,
  )
  return {
    choices: computed(() => {
      const reasons = reasonsIn(template.value.value?.value)
      return reasons.length === 0 ? ({} as Choices) : { reason: reasons }
    }),
    suggestions: computed(() => ({ commentId: card.item.value ? commentOptions(card.item.value) : [] })),
    note: computed(() => {
      if (taken.value === null) return t('write.revisionUnknown')
      if (newer.value) return t('write.revisionNewer', { revision: revision.value ?? '' })
      const { revision: own, at } = taken.value
      return t('write.revisionRead', { revision: own, time: d(at, 'seconds') })
    }),
    revision: {
      newer,
      reload() {
        from = card.meta.value?.receivedAt ?? 0
        // The study set is read again as well: the one in the form is what the host refused.
        takeStudySet()
        card.reload()
      },
    },
  }
}

/** The comments of a card to choose from, each by its id and how it begins. */
const commentOptions = (item: Readonly<Record<string, unknown>>): Choices[string] =>
  commentChoices(item).map(({ id, index, kind, text }) => ({
    value: id,
    label: [id, index === null ? '' : `#${index}`, kind, text].filter(Boolean).join(' · '),
  }))

/** The canvas and the practice session, where the host says which they are (spec §4 `GET /writing/context`; its shape is not shown). */
function useWritingContext(values: Ref<FormValues>, text: (name: string) => string): void {
  const connection = useConnection()
  const context = useRead('writing.context', () => (connection.online ? {} : null))
  const found = computed(() => {
    const value = context.value.value?.value
    return {
      surfaceId: surfaceOf(value)?.surfaceId,
      runId: member(sessionRecordOf(value), 'runId'),
    }
  })
  watch(
    found,
    (now) => {
      for (const [name, value] of Object.entries(now)) {
        if (typeof value === 'string' && text(name) === '') values.value = { ...values.value, [name]: value }
      }
    },
    { immediate: true },
  )
}

/** The fills that the host names, or the known ones. */
function useFills(): ComputedRef<Choices> {
  const { t, te } = useI18n()
  const host = useListed()
  return computed(() => {
    const sent = member(host.capabilities?.noteMetadata, 'fillIndex')
    const levels = Array.isArray(sent) ? sent.filter((one) => typeof one === 'number') : [-1, 0, 1, 2]
    const label = (level: number): string => (te(`card.fill.${level}`) ? t(`card.fill.${level}`) : '')
    return { 'patch.fillIndex': levels.map((one) => ({ value: String(one), label: `${one} · ${label(one)}` })) }
  })
}

/** What the card is tagged with now: who adds and removes should not have to look elsewhere. */
function useTagNote(noteids: () => string): ComputedRef<string> {
  const { t } = useI18n()
  const one = (): string | null => (/^[^\n]+$/.test(noteids()) ? noteids().trim() : null)
  const card = useCard(one)
  return computed(() => {
    if (!card.item.value) return ''
    const tags = tagsOf(card.item.value).map(({ tag }) => tag)
    return tags.length === 0 ? t('card.noHashtags') : t('write.tags', { tags: tags.join(' ') })
  })
}

/** Causes of error in `plugins[].config`, whose shape is not shown: lists of texts or of things with an id under a name like "reasons". */
function reasonsIn(value: unknown): { value: string; label: string }[] {
  const found = new Map<string, string>()
  const open: { value: unknown; name: string }[] = [{ value, name: '' }]
  for (let next = open.shift(); next && open.length < 500; next = open.shift()) {
    const { value: at, name } = next
    if (Array.isArray(at) && /reason|cause|error/i.test(name)) {
      for (const one of at as unknown[]) {
        if (typeof one === 'string') found.set(one, one)
        else if (typeof one === 'object' && one !== null) {
          const id: unknown = Reflect.get(one, 'id') ?? Reflect.get(one, 'key') ?? Reflect.get(one, 'value')
          const label: unknown = Reflect.get(one, 'label') ?? id
          if (typeof id === 'string') found.set(id, typeof label === 'string' && label !== id ? `${id} · ${label}` : id)
        }
      }
    } else if (typeof at === 'object' && at !== null) {
      for (const [key, member] of Object.entries(at)) open.push({ value: member, name: key })
    }
  }
  return [...found].map(([id, label]) => ({ value: id, label }))
}
