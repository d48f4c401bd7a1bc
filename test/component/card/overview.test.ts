import { afterEach, expect, test } from 'vitest'
import { nextTick } from 'vue'
import CardOverview from '../../../renderer/panes/card/CardOverview.vue'
import { parseCardParts, type CardPart } from '../../../renderer/model/cards/card-parts.ts'
import { findAllByRole, getByRole, installFakeServiceProcess, mountComponent } from '../../support/vue/mounting.ts'

afterEach(() => {
  document.body.innerHTML = ''
})

test('an overview has the first pictures, all on request, and the parts in the order of the host with their text', async () => {
  installFakeServiceProcess({})
  const images = Array.from({ length: 5 }, (_, index) => ({ kind: 'image', contentId: `i${index}` }))
  const item = {
    noteid: 'N',
    title: 'T',
    parts: [{ kind: 'title' }, ...images, { kind: 'excerpt_image', contentId: 'e', ocrText: 'read from the page' }],
  }
  const getAddress = ({ contentId }: CardPart): string => `/content/${contentId ?? ''}`
  mountComponent(CardOverview, { props: { item, source: null, parts: parseCardParts(item), getAddress } })
  expect(findAllByRole('link', /^Picture: /)).toHaveLength(3)
  getByRole('button', 'Show all 6 pictures').click()
  await nextTick()
  expect(findAllByRole('link', /^Picture: /)).toHaveLength(6)
  expect(findAllByRole('button', /^Show all/)).toEqual([])
  const lines = [...getByRole('list', 'Parts').querySelectorAll('li')].map(({ textContent }) => textContent.trim())
  expect([lines[0], lines.at(-1)]).toEqual(['Title', expect.stringContaining('read from the page')])
})
