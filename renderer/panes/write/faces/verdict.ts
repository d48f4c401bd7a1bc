import { computed, ref, watch } from 'vue'
import { useI18n } from 'vue-i18n'
import { commentChoices } from '../../../../shared/cards/comments.ts'
import { useCard } from '../../../stores/cards.ts'
import { useConnection } from '../../../stores/connection.ts'
import { useRead } from '../../../stores/read.ts'
import type { Choices, FacePart } from './face.ts'

/** The revision comes from the card as it was read, the causes of error from the template's configuration (spec §4, §7). */
export const useVerdict: FacePart<'verdict'> = ({ values, text }) => {
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
