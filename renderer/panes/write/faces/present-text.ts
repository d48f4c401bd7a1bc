import { watch } from 'vue'
import { expectedPrefixOf } from '../../../../shared/bridge/expected-prefix.ts'
import { textsOf } from '../../../../shared/cards/texts.ts'
import { useCard } from '../../../stores/cards.ts'
import type { FacePart } from './face.ts'

/** Fills `expectedPrefix` in from the card as it was read, for as long as nobody else writes there (observed §5). */
export const usePresentText: FacePart<'present-text'> = ({ values, text }, face) => {
  const card = useCard(() => text('noteid') || null)
  let filled: string | undefined
  watch(
    () => [card.item.value, text('index')] as const,
    ([item, index]) => {
      const present = item && presentIn(face.text, item, index)
      const now = values.value['expectedPrefix']
      if (typeof present !== 'string' || (now !== undefined && now !== filled)) return
      filled = expectedPrefixOf(present)
      if (now === filled) return
      values.value = { ...values.value, expectedPrefix: filled }
    },
    { immediate: true },
  )
  return {}
}

type Which = Parameters<FacePart<'present-text'>>[1]['text']

/** The current text; null if unknown. A card that has texts but none of its own has an empty one. */
function presentIn(which: Which, item: Readonly<Record<string, unknown>>, index: string): string | null {
  if (which === 'title') {
    const { title } = item
    return typeof title === 'string' ? title : title === null ? '' : null
  }
  if (!Array.isArray(item['texts'])) return null
  if (which === 'comment' && index.trim() === '') return null
  const wanted = which === 'own' ? 0 : Number(index)
  const found = textsOf(item).find((one) => one.index === wanted)
  if (found) return found.text ?? ''
  return wanted === 0 ? '' : null
}
