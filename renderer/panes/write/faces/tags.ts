import { computed } from 'vue'
import { useI18n } from 'vue-i18n'
import { tagsOf } from '../../../model/cards/facts.ts'
import { useCard } from '../../../stores/cards.ts'
import type { FacePart } from './face.ts'

/** What the card is tagged with now: who adds and removes should not have to look elsewhere. */
export const useTags: FacePart<'tags'> = ({ text }) => {
  const { t } = useI18n()
  const one = (): string | null => (/^[^\n]+$/.test(text('noteIds')) ? text('noteIds').trim() : null)
  const card = useCard(one)
  const note = computed(() => {
    if (!card.item.value) return ''
    const tags = tagsOf(card.item.value).map(({ tag }) => tag)
    return tags.length === 0 ? t('card.noHashtags') : t('write.tags', { tags: tags.join(' ') })
  })
  return { note }
}
