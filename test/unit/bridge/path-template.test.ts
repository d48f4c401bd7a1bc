import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { matchPathTemplate, PathTemplate } from '../../../shared/bridge/endpoints/path-template.ts'

describe('a path template', () => {
  it('returns the raw values of its placeholders', () => {
    expect(matchPathTemplate('/notes/{noteid}/content/{contentId}', '/notes/a%2Fb/content/c')).toEqual(['a%2Fb', 'c'])
    expect(matchPathTemplate('/notes/{noteid}.png', '/notes/n1.png')).toEqual(['n1'])
    expect(matchPathTemplate('/v{major}-{minor}/x', '/v1-2-3/x')).toEqual(['1', '2-3'])
    expect(matchPathTemplate('/capabilities', '/capabilities')).toEqual([])
  })

  it.each([
    ['/notes/{noteid}', '/notes/'],
    ['/notes/{noteid}', '/notes/a/b'],
    ['/notes/{noteid}', '/notes'],
    ['/notes/{noteid}.png', '/notes/.png'],
    ['/notes/{a}-{b}', '/notes/a-'],
    ['/a.c', '/abc'],
    ['/notes/{a}{b}', '/notes/x'],
  ])('%s does not match %s', (template, path) => {
    expect(matchPathTemplate(template, path)).toBeNull()
  })

  it('matches any further text with an open end', () => {
    const template = new PathTemplate('/notes/{noteid}/te', { isOpenEnded: true })
    expect(template.match('/notes/n1/texts/a/b')).toEqual(['n1'])
    expect(template.match('/notes/n1/te')).toEqual(['n1'])
    expect(template.match('/notes/n1/t')).toBeNull()
    expect(new PathTemplate('/notes/{noteid}', { isOpenEnded: true }).match('/notes/n1/title')).toEqual(['n1'])
    expect(new PathTemplate('', { isOpenEnded: true }).match('/anything/else')).toEqual([])
  })

  it('matches as a regular expression would, whatever the literals', () => {
    const literal = fc.string({ maxLength: 3, unit: fc.constantFrom('a', 'b', '.', '-', '/') })
    const piece = fc.oneof(literal, fc.constant('{x}'))
    fc.assert(
      fc.property(
        fc.array(piece, { maxLength: 6 }),
        fc.string({ maxLength: 12, unit: fc.constantFrom('a', 'b', '.', '-', '/') }),
        (pieces, path) => {
          const source = pieces.map((text) => (text === '{x}' ? '[^/]+' : text.replace(/[.-]/g, '\\$&'))).join('')
          expect(matchPathTemplate(pieces.join(''), path) !== null).toBe(new RegExp(`^${source}$`).test(path))
        },
      ),
      { numRuns: 2_000 },
    )
  })

  it('safety 76: compares a foreign template of thousands of placeholders in linear time', () => {
    const template = new PathTemplate(`/${'{a}'.repeat(20_000)}b`)
    expect(template.match(`/${'x'.repeat(30_000)}`)).toBeNull()
    expect(template.match(`/${'x'.repeat(30_000)}b`)).toHaveLength(20_000)
  })
})
