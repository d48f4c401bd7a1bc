import { computed, ref, watch } from 'vue'
import { useI18n } from 'vue-i18n'
import { listCommentChoices } from '../../../../shared/cards.ts'
import { parseErrorReasons, findTagPrefix } from '../../../model/cards/practice-config.ts'
import { useCard } from '../../../stores/cards.ts'
import { useConnection } from '../../../stores/connection.ts'
import { useRead } from '../../../stores/host-read.ts'
import type { FieldChoices, FaceComposable } from './write-face.ts'

/** The prefix in the contract's example (spec §2 practice verdict), where the template names none. */
const OBSERVED_TAG_PREFIX = '#practice'

/** The revision comes from the card as it was read, the causes of error from the template's configuration (spec §4, §7). */
export const useVerdictFace: FaceComposable<'verdict'> = ({ values, getText: text }) => {
  const { t, d } = useI18n()
  const connection = useConnection()
  const card = useCard(() => text('noteid') || null)
  const template = useRead('immersive.template', () => (connection.online ? {} : null))
  const revision = computed(() => {
    const sent: unknown = card.item ? Reflect.get(card.item, 'commentsRevision') : null
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
    () => [revision.value, card.meta?.receivedAt, text('noteid')] as const,
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
    const now: unknown = card.item ? Reflect.get(card.item, 'topicid') : null
    if (typeof now === 'string') values.value = { ...values.value, 'practice.topic': now }
  }
  const newer = computed(
    () => taken.value !== null && revision.value !== null && revision.value !== taken.value.revision,
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
    suggestions: computed(() => ({ commentId: card.item ? commentOptions(card.item) : [] })),
    note: computed(() => {
      if (taken.value === null) return t('write.revisionUnknown')
      if (newer.value) return t('write.revisionNewer', { revision: revision.value ?? '' })
      const { revision: own, at } = taken.value
      return t('write.revisionRead', { revision: own, time: d(at, 'seconds') })
    }),
    revision: {
      isOutdated: newer,
      reload() {
        from = card.meta?.receivedAt ?? 0
        // The study set is read again as well: the one in the form is what the host refused.
        takeStudySet()
        card.reload()
      },
    },
  }
}

/** The comments of a card to choose from, each by its id and how it begins. */
const commentOptions = (item: Readonly<Record<string, unknown>>): FieldChoices[string] =>
  listCommentChoices(item).map(({ id, index, kind, text }) => ({
    value: id,
    label: [id, index === null ? '' : `#${index}`, kind, text].filter(Boolean).join(' · '),
  }))
