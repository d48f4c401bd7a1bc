import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { splitRequestPath } from '../../../../renderer/model/traffic/path-pieces.ts'

const NOTE = '2F434250-51B5-49D9-8607-E9C650C67873'
const BOOK = 'd41d8cd98f00b204e9800998ecf8427e'
const split = (path: string, method = 'GET'): unknown[] =>
  splitRequestPath(method, path).map(({ text, role, kind }) => (role === 'id' ? [kind, text] : text))

describe('splitRequestPath', () => {
  test('separates the ids that the contract names from the route', () => {
    expect(split(`/notes/short/blank-bands`, 'POST')).toEqual(['/notes/', ['card', 'short'], '/blank-bands'])
    expect(split('/notes/batch-get', 'POST')).toEqual(['/notes/batch-get'])
    expect(split(`/documents/${BOOK}/pages/3/content/c1`)).toEqual([
      '/documents/',
      ['document', BOOK],
      '/pages/3/content/',
      ['content', 'c1'],
    ])
  })

  test('recognises ids in the query', () => {
    expect(split(`/study-sets/s/tree?limit=50&root=${NOTE}&cursor=x`)).toEqual([
      '/study-sets/',
      ['studySet', 's'],
      '/tree',
      '?limit=50&root=',
      ['card', NOTE],
      '&cursor=x',
    ])
  })

  test('recognises certain ids after a collection on a route that is not in the contract', () => {
    expect(split(`/notes/${NOTE}/new-route`)).toEqual(['/notes/', ['card', NOTE], '/new-route'])
    expect(split('/notes/word/new-route')).toEqual(['/notes/word/new-route'])
    expect(split(`/elsewhere/${NOTE}`)).toEqual([`/elsewhere/${NOTE}`])
  })

  test('reads a path that was recorded with the path of the base URL', () => {
    expect(split(`/bridge/v1/notes/n1/blank-bands`, 'POST')).toEqual([
      '/bridge/v1/notes/',
      ['card', 'n1'],
      '/blank-bands',
    ])
  })

  test('decodes ids, and keeps their text as sent', () => {
    expect(splitRequestPath('GET', '/notes/a%20b/render')[1]).toEqual({
      text: 'a%20b',
      role: 'id',
      id: 'a b',
      kind: 'card',
    })
    expect(splitRequestPath('GET', '/notes/%E0%A4/render')[1]?.id).toBe('%E0%A4')
  })

  test('the texts of all pieces are the path, whatever it is', () => {
    const part = fc.oneof(fc.constantFrom('/', '?', '&', '=', 'notes', 'root', NOTE, '%', '/bridge/v1'), fc.string())
    fc.assert(
      fc.property(fc.array(part, { maxLength: 20 }), (parts) => {
        const path = parts.join('')
        const text = splitRequestPath('GET', path)
          .map((piece) => piece.text)
          .join('')
        expect(text).toBe(path)
      }),
    )
  })
})
