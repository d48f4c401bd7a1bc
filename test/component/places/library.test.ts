import { expect, test } from 'vitest'
import { defineComponent, h } from 'vue'
import { useDeckColumns, useStudySetColumns } from '../../../renderer/places/library/columns.ts'
import { mountComponent } from '../../support/vue/mounting.ts'

/** Text of the column "modified" for a study set and for a deck. */
function modified(lastModifiedAt: string | number | null): string[] {
  const view = defineComponent({
    setup() {
      const sets = useStudySetColumns()
      const decks = useDeckColumns()
      const findModifiedColumn = (columns: readonly { id: string }[]) => columns.find(({ id }) => id === 'modified')
      return () => {
        const set = findModifiedColumn(sets.value) as (typeof sets.value)[number] | undefined
        const deck = findModifiedColumn(decks.value) as (typeof decks.value)[number] | undefined
        return [
          h('p', set?.text?.({ topicid: 'T', lastModifiedAt })),
          h('p', deck?.text?.({ deckId: 'D', lastModifiedAt })),
        ]
      }
    },
  })
  return mountComponent(view)
    .findAll('p')
    .map((line) => line.text())
}

test.each<[string | number | null, RegExp]>([
  [1_793_347_200, /Oct 30.*\(1793347200\)$/],
  [1_793_347_200_000, /Oct 30.*\(1793347200000\)$/],
  ['1793347200', /Oct 30.*\(1793347200\)$/],
  ['2026-10-30T08:00:00Z', /Oct 30(?!.*\()/],
  ['yesterday', /^yesterday$/],
  [null, /^$/],
])('a modification time sent as %s is formatted, or shown as sent', (rawValue, expectedText) => {
  for (const text of modified(rawValue)) expect(text).toMatch(expectedText)
})
