// Adds choices, suggestions and current values to the form of a write, which its schema does not
// have. The form itself is `../SchemaForm.vue`. Read write-face.ts first, then this file.

import { computed, type Ref, watch, ref } from 'vue'
import { useI18n } from 'vue-i18n'
import { joinSentences } from '../../../model/format/joined-sentences.ts'
import type { Endpoint, WriteFaceSpec } from '../../../../shared/bridge/endpoints/endpoint.ts'
import type { FormValues } from '../../../model/forms/command-draft.ts'
import {
  type FaceContext,
  type FaceComposable,
  emptyFieldChoices,
  type WriteFace,
  type FieldChoices,
} from './write-face.ts'
import { getMember } from '../../../../shared/json/object.ts'
import { useHostCapabilities } from '../../../stores/host-capabilities.ts'
import { getNoHashtagsKey, parseTagPaths } from '../../../model/cards/card-facts.ts'
import { useCard } from '../../../stores/cards.ts'
import { toExpectedPrefix, parseCardTexts, listCommentChoices } from '../../../../shared/cards.ts'
import { parseErrorReasons, findTagPrefix } from '../../../model/cards/practice-config.ts'
import { useConnection } from '../../../stores/connection.ts'
import { useRead } from '../../../stores/host-read.ts'
import { endpoints } from '../../../../shared/bridge/endpoints/index.ts'
import { findSessionRunId } from '../../../../shared/bridge/session-record.ts'
import { findWritingSurface } from '../../../../shared/bridge/writing-surface.ts'
import { createFormFields } from '../../../model/forms/form-fields.ts'
import { useOperations } from '../../../stores/operations.ts'

/** Fills in a new request id, the contract's carrier, and the host's writing context. */
const useWritingFace: FaceComposable<'writing'> = ({ row, values, getText: text }) => {
  const fill = (name: string, value: string): void => {
    if (text(name) === '') values.value = { ...values.value, [name]: value }
  }
  fill('requestId', crypto.randomUUID())
  if (createFormFields(row).some(({ name }) => name === 'carrier')) fill('carrier', 'focus')
  const names = new Set(createFormFields(row).map(({ name }) => name))
  const { t, te, d } = useI18n()
  const noteKey = `write.note.${row.id.replaceAll('.', '-')}`
  /** When the command of the reused run id was sent (epoch ms); null if none is reused. */
  const ranAt = ref<number | null>(null)
  useWritingContext(fill, () => {
    if (!names.has('runId') || text('runId') !== '') return
    void findEarlierRun().then((earlier) => {
      if (earlier === null || text('runId') !== '') return
      fill('runId', earlier.runId)
      ranAt.value = earlier.sentAt
    })
  })
  const note = computed(() =>
    joinSentences([
      te(noteKey) && t(noteKey),
      ranAt.value !== null && t('write.runFrom', { time: d(ranAt.value, 'seconds') }),
    ]),
  )
  return { note }
}

const sessionCommands = endpoints.filter(({ command }) => command === 'session')

/** Finds the newest session command that was sent to this host; null if there is none. */
async function findEarlierRun(): Promise<{ readonly runId: string; readonly sentAt: number } | null> {
  const operations = useOperations()
  const host = useConnection().state.profile?.baseUrl
  const { signal } = new AbortController()
  const lists = await Promise.all(
    sessionCommands.map(({ id }) =>
      operations.list({ endpoint: id, ...(host === undefined ? {} : { host }), offset: 0, limit: 5 }, signal),
    ),
  )
  const newest = lists.flatMap(({ items }) => items).sort((a, b) => b.createdAt - a.createdAt)
  for (const { id, createdAt } of newest) {
    const { body } = await operations.get(id)
    const runId = body === null ? null : getMember(JSON.parse(body), 'runId')
    if (typeof runId === 'string' && runId !== '') return { runId, sentAt: createdAt }
  }
  return null
}

/** Reads canvas and practice session by `GET /writing/context` (spec §4) of unknown shape. */
function useWritingContext(fill: (name: string, value: string) => void, onLoaded: () => void): void {
  const connection = useConnection()
  const context = useRead('writing.context', () => (connection.online ? {} : null))
  const contextValues = computed(() => {
    const value = context.data?.value
    return {
      surfaceId: findWritingSurface(value)?.surfaceId,
      runId: findSessionRunId(value),
    }
  })
  watch(
    contextValues,
    (next) => {
      for (const [name, value] of Object.entries(next)) {
        if (typeof value === 'string') fill(name, value)
      }
    },
    { immediate: true },
  )
  // The host's current values take precedence over those sent earlier.
  watch(
    () => context.status,
    (status) => (status === 'ready' || status === 'failed') && onLoaded(),
    { immediate: true },
  )
}

/** From the contract's example (spec §2 practice verdict); used if the template has no prefix. */
const OBSERVED_TAG_PREFIX = '#practice'

/** The revision is the read card's, the causes of error the template's (spec §4, §7). */
const useVerdictFace: FaceComposable<'verdict'> = ({ values, getText: text }) => {
  const { t, d } = useI18n()
  const connection = useConnection()
  const card = useCard(() => text('noteid') || null)
  const template = useRead('immersive.template', () => (connection.online ? {} : null))
  const revision = computed(() => {
    const revisionMember: unknown = card.item ? Reflect.get(card.item, 'commentsRevision') : null
    return typeof revisionMember === 'string' || typeof revisionMember === 'number' ? revisionMember : null
  })
  /** The first current response of the form (spec §4), not a later one. */
  const takenRevision = ref<{ readonly revision: string | number; readonly receivedAt: number } | null>(null)
  /** Only responses received after this time (epoch ms) count; null = no response is awaited. */
  let from: number | null = 0
  // The revision of one card is invalid for any other card.
  watch(
    () => text('noteid'),
    () => {
      from = 0
      takenRevision.value = null
      values.value = { ...values.value, expectedRevision: '', 'practice.topic': '' }
    },
    { flush: 'sync' },
  )
  watch(
    () => [revision.value, card.meta?.receivedAt, text('noteid')] as const,
    ([nextRevision, receivedAt]) => {
      if (from === null || nextRevision === null || receivedAt === undefined || receivedAt <= from) return
      // A card that was read before a change may have an earlier revision, which the host refuses.
      if (from === 0 && !card.isCurrent) {
        from = receivedAt
        card.reload()
        return
      }
      from = null
      takenRevision.value = { revision: nextRevision, receivedAt }
      values.value = { ...values.value, expectedRevision: nextRevision }
      if (text('practice.topic') === '') takeStudySet()
    },
    { immediate: true },
  )
  function takeStudySet(): void {
    const currentTopicid: unknown = card.item ? Reflect.get(card.item, 'topicid') : null
    if (typeof currentTopicid === 'string') values.value = { ...values.value, 'practice.topic': currentTopicid }
  }
  const newer = computed(
    () => takenRevision.value !== null && revision.value !== null && revision.value !== takenRevision.value.revision,
  )
  return {
    choices: computed(() => {
      const reasons = parseErrorReasons(template.data?.value)
      return reasons.length === 0 ? ({} as FieldChoices) : { reason: reasons }
    }),
    hints: computed((): Readonly<Record<string, string>> => {
      const prefix = findTagPrefix(template.data?.value) ?? OBSERVED_TAG_PREFIX
      return { self: t('write.field.self', { tag: `${prefix}/<self>` }) }
    }),
    suggestions: computed(() => ({ commentId: card.item ? toCommentOptions(card.item) : [] })),
    note: computed(() => {
      if (takenRevision.value === null) return t('write.revisionUnknown')
      if (newer.value) return t('write.revisionNewer', { revision: revision.value ?? '' })
      const { revision: formRevision, receivedAt: takenAt } = takenRevision.value
      return t('write.revisionRead', { revision: formRevision, time: d(takenAt, 'seconds') })
    }),
    revision: {
      isOutdated: newer,
      reload() {
        from = card.meta?.receivedAt ?? 0
        // The study set is reloaded as well, because the host refused the one in the form.
        takeStudySet()
        card.reload()
      },
    },
  }
}

/** Offers each comment by its id and its beginning. */
const toCommentOptions = (item: Readonly<Record<string, unknown>>): FieldChoices[string] =>
  listCommentChoices(item).map(({ id, index, kind, text }) => ({
    value: id,
    label: [id, index === null ? '' : `#${index}`, kind, text].filter(Boolean).join(' · '),
  }))

/** `expectedPrefix` follows the card as read, until the user edits it (observed-0.49 §5). */
const usePresentText: FaceComposable<'present-text'> = ({ values, getText: text }, face) => {
  const card = useCard(() => text('noteid') || null)
  let filled: string | undefined
  watch(
    () => [card.item, text('index')] as const,
    ([item, index]) => {
      const present = item && presentIn(face.text, item, index)
      const currentPrefix = values.value['expectedPrefix']
      if (typeof present !== 'string' || (currentPrefix !== undefined && currentPrefix !== filled)) return
      filled = toExpectedPrefix(present)
      if (currentPrefix === filled) return
      values.value = { ...values.value, expectedPrefix: filled }
    },
    { immediate: true },
  )
  return {}
}

type Which = Parameters<FaceComposable<'present-text'>>[1]['text']

/** Null if the text is unknown. Empty if the card has texts but no text of its own. */
function presentIn(which: Which, item: Readonly<Record<string, unknown>>, index: string): string | null {
  if (which === 'title') {
    const { title } = item
    return typeof title === 'string' ? title : title === null ? '' : null
  }
  if (!Array.isArray(item['texts'])) return null
  if (which === 'comment' && index.trim() === '') return null
  const wantedIndex = which === 'own' ? 0 : Number(index)
  const cardText = parseCardTexts(item).find((candidate) => candidate.index === wantedIndex)
  if (cardText) return cardText.text ?? ''
  return wantedIndex === 0 ? '' : null
}

/** Shows the card's current tags, so that the user need not look them up to add or remove some. */
const useTags: FaceComposable<'tags'> = ({ getText: text }) => {
  const { t } = useI18n()
  const getSingleCardId = (): string | null => (/^[^\n]+$/.test(text('noteIds')) ? text('noteIds').trim() : null)
  const card = useCard(getSingleCardId)
  const note = computed(() => {
    if (!card.item) return ''
    const tags = parseTagPaths(card.item).map(({ tag }) => tag)
    return tags.length === 0 ? t(getNoHashtagsKey(card.item)) : t('write.tags', { tags: tags.join(' ') })
  })
  return { note }
}

/** Offers the host's fills, or else the documented ones, and the palette for the level. */
const useColors: FaceComposable<'colors'> = (_, { level, fill }) => {
  const { t, te } = useI18n()
  const host = useHostCapabilities()
  const choices = computed(() => {
    const listedFills = getMember(host.capabilities?.noteMetadata, 'fillIndex')
    const fills = Array.isArray(listedFills)
      ? listedFills.filter((fillIndex) => typeof fillIndex === 'number')
      : [-1, 0, 1, 2]
    const label = (fillIndex: number): string => (te(`card.fill.${fillIndex}`) ? t(`card.fill.${fillIndex}`) : '')
    return {
      [fill]: fills.map((fillIndex) => ({ value: String(fillIndex), label: `${fillIndex} · ${label(fillIndex)}` })),
    }
  })
  return { choices, swatchField: level }
}

export type { WriteFace } from './write-face.ts'

const parts: { readonly [Name in WriteFaceSpec['name']]: FaceComposable<Name> } = {
  writing: useWritingFace,
  verdict: useVerdictFace,
  colors: useColors,
  tags: useTags,
  'present-text': usePresentText,
}

/** Commands without special help in the table have their schema, and maybe a note. */
export function useWriteFace(row: Endpoint, values: Ref<FormValues>): WriteFace {
  const { t, te } = useI18n()
  const note = computed(() => {
    const key = `write.note.${row.id.replaceAll('.', '-')}`
    return te(key) ? t(key) : ''
  })
  const text = (name: string): string => {
    const value = values.value[name]
    return typeof value === 'string' ? value : ''
  }
  const revision = { isOutdated: computed(() => false), reload: () => undefined }
  const facePart = row.face === null ? {} : partOf(row.face, { row, values, getText: text })
  return { choices: emptyFieldChoices, note, revision, ...facePart }
}

function partOf<Name extends WriteFaceSpec['name']>(
  face: Extract<WriteFaceSpec, { readonly name: Name }>,
  form: FaceContext,
): Partial<WriteFace> {
  const part: FaceComposable<Name> = parts[face.name]
  return part(form, face)
}
