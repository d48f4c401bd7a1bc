import { describe, expect, it } from 'vitest'
import { parseFolders, MAX_FOLDERS } from '../../../../../renderer/model/responses/folders.ts'

const paths = (response: unknown, path?: string): string[] =>
  parseFolders(response, path).folders.map((folder) => folder.path)

describe('parseFolders, for which no document shows a shape', () => {
  it.each([
    ['nested objects', { folders: [{ name: 'A', folders: [{ name: 'B' }] }, { name: 'C' }] }],
    ['nested under another name', { items: [{ title: 'A', children: [{ title: 'B' }] }, { title: 'C' }] }],
    ['flat objects with paths', { folders: [{ path: '/A/' }, { path: 'C' }, { path: 'A/B' }] }],
    ['texts that are paths', ['A', 'A/B', 'C']],
    ['a path whose parent nobody names', { tree: ['A/B', 'C'] }],
  ])('reads %s', (_, response) => {
    expect(paths(response).sort()).toEqual(['A', 'A/B', 'C'])
  })

  it('takes names as names below the path, and paths as paths from the root', () => {
    expect(paths({ folders: [{ name: 'B' }, 'C', { path: 'A/D' }] }, 'A')).toEqual(['A/B', 'A/C', 'A/D'])
    expect(paths({ folders: [{ path: 'A' }] }, 'A')).toEqual([])
  })

  it('reads counts, names and documents where they are sent', () => {
    const response = {
      folders: [
        { path: 'a/b', name: 'Bücher', documentCount: '3' },
        { name: 'x', folders: [] },
      ],
      documents: [{ bookmd5: 'M', title: 'T' }, { name: 'Only a name' }, 'plain', 7],
    }
    expect(parseFolders(response)).toEqual({
      folders: [
        { path: 'a', name: 'a', documentCount: null, hasListedContents: true },
        { path: 'a/b', name: 'Bücher', documentCount: 3, hasListedContents: false },
        { path: 'x', name: 'x', documentCount: null, hasListedContents: true },
      ],
      documents: [
        { bookmd5: 'M', title: 'T' },
        { bookmd5: null, title: 'Only a name' },
        { bookmd5: null, title: 'plain' },
        { bookmd5: null, title: undefined },
      ],
      isTruncated: false,
      isShapeUnknown: false,
    })
    expect(parseFolders({ folders: [] }).documents).toBeNull()
  })

  it.each([null, 7, 'text', {}, { folders: 7 }, [null, 7, {}, { name: '' }], { folders: [[]] }])(
    'reads no folders from %j',
    (response) => {
      expect(parseFolders(response)).toMatchObject({ folders: [], isTruncated: false, isShapeUnknown: true })
    },
  )

  it.each([{ folders: [] }, [], { documents: [] }, { folders: [{ path: 'A' }] }])(
    'knows the shape of %j',
    (response) => {
      expect(parseFolders(response, 'A').isShapeUnknown).toBe(false)
    },
  )

  it('truncates a huge listing and reports it', () => {
    const { folders, isTruncated: cut } = parseFolders({
      folders: Array.from({ length: 9_000 }, (_, index) => `f${index}`),
    })
    expect([folders.length, cut]).toEqual([MAX_FOLDERS, true])
  })
})
