import { describe, expect, it } from 'vitest'
import { collectNamedIds } from '../../../../electron/services/traffic/entry.ts'

const row = {
  path: '/notes/n%31?topicid=t1',
  template: '/notes/{noteid}',
  origin: { kind: 'place', label: null },
} as const

describe('the ids that an exchange names', () => {
  it('come from the path, the query and the members of the request', () => {
    const request = '{"noteIds": [ "a" , "b"], "title": "x", "contentId":"c"}'
    expect(collectNamedIds(row, request, '{"requestId": "r", "noteid": "other"}')).toEqual([
      { member: 'noteid', id: 'n1' },
      { member: 'topicid', id: 't1' },
      { member: 'noteIds', id: 'a' },
      { member: 'noteIds', id: 'b' },
      { member: 'contentId', id: 'c' },
      { member: 'requestId', id: 'r' },
    ])
  })

  it('are no numbers of pages', () => {
    const page = { ...row, path: '/documents/b1/pages/0/parts', template: '/documents/{bookmd5}/pages/{index}/parts' }
    expect(collectNamedIds(page, '', '')).toEqual([{ member: 'bookmd5', id: 'b1' }])
  })

  it('are searched in linear time, also in a list of 200 texts that does not end', () => {
    const request = `{"noteIds": [${'"x" '.repeat(60_000)}`
    expect(collectNamedIds({ ...row, path: '/', template: '/' }, request, request)).toEqual([])
  })
})
