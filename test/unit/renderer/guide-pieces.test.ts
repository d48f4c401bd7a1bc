import { describe, expect, test } from 'vitest'
import { splitGuide, type GuideStep } from '../../../renderer/workers/guide-pieces.ts'

const escaped = (text: string): string => text.replace(/&/g, '&amp;').replace(/</g, '&lt;')

function toText(steps: readonly GuideStep[]): string {
  const open: string[] = []
  const out = steps.map((step) => {
    if (typeof step === 'string') return escaped(step)
    if (step === null) return `</${open.pop()}>`
    open.push(step.tag)
    return `<${step.tag}${step.href === undefined ? '' : ` href=${step.href}`}${step.start === undefined ? '' : ` start=${step.start}`}>`
  })
  expect(open).toEqual([])
  return out.join('')
}

const all = (markdown: string): readonly string[] => [...splitGuide(markdown)].map(({ steps }) => toText(steps))
const textOf = (markdown: string): string =>
  [...splitGuide(markdown)].flatMap(({ steps }) => steps.filter((step) => typeof step === 'string')).join('')

describe('a short guide', () => {
  test('is one piece with rendered Markdown', () => {
    expect(all('# One\n\nText *em* `code` [web](https://a.example) [in](#one)\n\n2. b\n3. c\n\n---\n')).toEqual([
      '<h1>One</h1><p>Text <em>em</em> <code>code</code> <a href=https://a.example>web</a> <a href=#one>in</a></p>' +
        '<ol start=2><li>b</li><li>c</li></ol><hr></hr>',
    ])
    expect(all('| a |\n|---|\n| 1 |\n')).toEqual([
      '<table><thead><tr><th>a</th></tr></thead><tbody><tr><td>1</td></tr></tbody></table>',
    ])
    expect(all('```js\n<b>\n```')).toEqual(['<pre><code>&lt;b>\n</code></pre>'])
    expect(all('[x][later]\n\n[later]: https://a.example')).toEqual(['<p><a href=https://a.example>x</a></p>'])
    expect(all('')).toEqual([''])
  })

  test('contains no HTML element of the host and no false link', () => {
    expect(all('<script>x</script>')).toEqual(['<p>&lt;script>x&lt;/script></p>'])
    for (const link of [
      'javascript:x',
      'JaVa&#10;script:x',
      'data:text/html,x',
      'file:///x',
      '//host/x',
      'smb://h/x',
    ]) {
      expect(all(`[x](${link})`)[0]).not.toContain('href')
    }
    for (const link of ['other.md', './a/b.md#c', '#x', '../x?y#z:w']) expect(all(`[x](${link})`)[0]).toContain('href')
  })
})

const megabytes: Readonly<Record<string, string>> = {
  chapters:
    '## Head\n\nSome *text* with [link](#head).\n\n- one\n- two\n  1. a\n\n| a | b |\n|---|---|\n| 1 | 2 |\n\n'.repeat(
      2_000,
    ),
  list: '- item **x**\n'.repeat(20_000),
  table: `| a | b |\n|---|---|\n${'| 1 | 2 |\n'.repeat(20_000)}`,
  paragraph: 'word *em* '.repeat(30_000),
  line: '\u{1F600}'.repeat(400_000),
  code: `\`\`\`\n${'line of code\n'.repeat(20_000)}\`\`\`\n`,
  emphasis: `*${'w '.repeat(400_000)}w*`,
  quotes: `${'> '.repeat(90)}${'deep '.repeat(100_000)}`,
}

describe.each(Object.entries(megabytes))('safety 52: a long guide of %s', (_, markdown) => {
  test('is split into pieces that each render within a frame, without losing anything', () => {
    let index = 0
    for (const piece of splitGuide(markdown)) {
      expect(piece.steps.length).toBeLessThan(4_000)
      expect(
        piece.steps.reduce((sum, step) => sum + (typeof step === 'string' ? step.length : 0), 0),
      ).toBeLessThanOrEqual(75_000)
      expect(piece.processedChars).toBeGreaterThanOrEqual(index)
      index = piece.processedChars
      toText(piece.steps)
    }
    expect(index).toBe(markdown.length)
    const letters = (text: string): string => text.replace(/[^\p{L}\p{N}\p{S}]/gu, '')
    const source = markdown.replace(/\(#head\)|[`*|>]|^\s*\d\./gm, '')
    expect(letters(textOf(markdown)) === letters(source)).toBe(true)
  })
})

test('a list that is split continues its numbering', () => {
  const starts = [...splitGuide('7. entry\n'.repeat(3_000))].map(({ steps }) => steps[0])
  expect(starts.length).toBeGreaterThan(3)
  let next = 7
  for (const { steps } of splitGuide('7. entry\n'.repeat(3_000))) {
    if (steps.length > 0) expect(steps[0]).toEqual({ tag: 'ol', start: next })
    next += steps.filter((step) => step !== null && typeof step === 'object' && step.tag === 'li').length
  }
  expect(next).toBe(3_007)
})
