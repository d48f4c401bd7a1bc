import { expect, test } from 'vitest'
import { formulaPattern, toMarkdownCell } from '../../../shared/format/markup.ts'

test('nothing in a Markdown cell acts as markup or becomes a link', () => {
  expect(toMarkdownCell('a|b <i> &lt; ~~x~~ [l](u) `c`')).toBe('a\\|b \\<i\\> \\&lt; \\~\\~x\\~\\~ \\[l\\](u) \\`c\\`')
  expect(toMarkdownCell('https://a.example WWW.a.example a: b')).toBe(
    String.raw`https\://a.example WWW\.a.example a: b`,
  )
  expect(toMarkdownCell('two\nlines')).toBe('two lines')
})

test('a spreadsheet takes no cell for a formula', () => {
  for (const text of ['=1', ' +1', '＝1', '\u200b@x', '\tx']) expect(formulaPattern.test(text)).toBe(true)
  for (const text of ['1=1', 'a-b', '']) expect(formulaPattern.test(text)).toBe(false)
})
