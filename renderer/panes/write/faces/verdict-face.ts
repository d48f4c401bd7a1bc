import { computed, ref, watch } from 'vue'
import { useI18n } from 'vue-i18n'
import { listCommentChoices } from '../../../../shared/cards.ts'
import { parseErrorReasons, findTagPrefix } from '../../../model/cards/practice-config.ts'
import { useCard } from '../../../stores/cards.ts'
import { useConnection } from '../../../stores/connection.ts'
import { useRead } from '../../../stores/host-read.ts'
import type { FieldChoices, FaceComposable } from './write-face.ts'

/** From the contract's example (spec §2 practice verdict); used if the template has no prefix. */
const OBSERVED_TAG_PREFIX = '#practice'

/**
 * The revision comes from the card as it was read, the causes of error from the template's
 * configuration (spec §4, §7).
 */
export const useVerdictFace: FaceComposable<'verdict'> = ({ values, getText: text }) => {
  const { t, d } = useI18n()
  const connection = useConnection()
  const card = useCard(() => text('noteid') || null)
  const template = useRead('immersive.template', () => (connection.online ? {} : null))
  const revision = computed(() => {
    const revisionMember: unknown = card.item ? Reflect.get(card.item, 'commentsRevision') : null
    return typeof revisionMember === 'string' || typeof revisionMember === 'number' ? revisionMember : null
  })
  /**
   * Remembers the response that the revision was taken from: the one that the form was opened with
   * (spec §4), not a later one.
   */
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
