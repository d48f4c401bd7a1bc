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

test.each([
  ['audio/mpeg', 'application/pdf', []],
  ['', '', ['Attachment: no kind', 'Attachment: no kind']],
  ['image/png', 'audio/mpeg', ['Picture: no kind']],
])('contents of the types %j and %j are not called pictures unless they are', (first, second, labels) => {
  installFakeServiceProcess({})
  const parts = [first, second].map((mimeType, index) => ({ contentId: `c${index}`, mimeType }))
  const item = { noteid: 'N', parts }
  mountComponent(CardOverview, { props: { item, source: null, parts: parseCardParts(item), getAddress: () => '/x' } })
  expect(findAllByRole('link', /: no kind$/).map((link) => link.getAttribute('aria-label'))).toEqual(labels)
  expect(document.body.textContent.includes('Attachments')).toBe(labels[0]?.startsWith('Attachment') ?? false)
})

test('a card has no texts, hashtags or parts only if the host sent an empty list of them', () => {
  installFakeServiceProcess({})
  const getText = (item: { noteid: string }): string => {
    const props = { item, source: null, parts: parseCardParts(item), getAddress: () => '/x' }
    const page = mountComponent(CardOverview, { props })
    const text = page.text()
    page.unmount()
    return text
  }
  const empty = getText({ noteid: 'N', texts: [], hashtags: [], parts: [] } as never)
  for (const phrase of ['The card has no texts', 'The card has no hashtags', 'No parts'])
    expect(empty).toContain(phrase)
  for (const item of [{ noteid: 'N' }, { noteid: 'N', texts: 7, hashtags: {}, parts: 'x' }]) {
    const text = getText(item)
    expect(text).not.toMatch(/has no|No parts/)
    for (const name of ['texts', 'hashtags', 'parts']) expect(text).toContain(`The host sends no list of ${name}`)
  }
})
