import { describe, expect, test } from 'vitest'
import { searchCallTargets } from '../../../../../renderer/model/console/call-target-search.ts'
import { listCallTargets } from '../../../../../shared/bridge/call-target.ts'

const targets = listCallTargets(null)
const search = (text: string): string[] =>
  searchCallTargets(targets, text, ({ row }) => row.summary).map(({ method, path }) => `${method} ${path}`)

describe('searchCallTargets', () => {
  test('lists routes with the word in their path first', () => {
    expect(search('tree')[0]).toBe('GET /study-sets/{topicid}/tree')
  })

  test('lists reads before writes of the same path', () => {
    const [first, second] = search('documents study-sets').filter((name) =>
      name.endsWith('/study-sets/{topicid}/documents'),
    )
    expect([first, second]).toEqual(['GET /study-sets/{topicid}/documents', 'POST /study-sets/{topicid}/documents'])
  })

  test('keeps the order of the contract without a search, and finds nothing by an unknown word', () => {
    expect(search('')).toHaveLength(targets.length)
    expect(search('no-such-word')).toEqual([])
  })
})
