import { expect, test } from 'vitest'
import { NodeIdNormalizer, renameNodeIds } from '../../../shared/bridge/node-ids.ts'
import { readResponse } from '../../../shared/bridge/response-reading.ts'

const findMember = (nodes: readonly unknown[]): string | null => {
  const naming = new NodeIdNormalizer()
  naming.nameNodes(nodes)
  return naming.member
}

test.each<readonly [string, string | null, readonly object[]]>([
  [
    'noteid, whatever else there is',
    'noteid',
    [
      { id: '1', noteid: 'a' },
      { id: '2', noteid: 'b', parent: '1' },
    ],
  ],
  [
    'the text that parents refer to',
    'ref',
    [
      { title: 'A', ref: 'a' },
      { title: 'B', ref: 'b', parent: 'a' },
    ],
  ],
  [
    'an id before its copy',
    'cardId',
    [
      { copy: 'a', cardId: 'a' },
      { copy: 'b', cardId: 'b', parent: 'a' },
    ],
  ],
  ['the name of an id, of one card', 'id', [{ topicid: 'T', heading: 'A', id: 'a', parent: 'T' }]],
  ['nothing in a list of titles', null, [{ heading: 'A' }, { heading: 'B' }]],
  ['nothing that two nodes share', null, [{ ref: 'a' }, { ref: 'a', parent: 'a' }]],
  ['no id of something else', null, [{ topicid: 'T', parent: 'T' }]],
])('finds %s', (_, member, nodes) => {
  expect(findMember(nodes)).toBe(member)
})

test('leaves entries that are no objects to the judges of the page', () => {
  const nodes = [[[]], 'a']
  expect(new NodeIdNormalizer().nameNodes(nodes)).toBe(nodes)
})

test('names ids on all pages by the first one, leaves nodes with noteid as they are, and renames back', () => {
  const naming = new NodeIdNormalizer()
  naming.nameNodes([])
  naming.nameNodes([{ ref: 'a' }, { ref: 'b', parent: 'a' }])
  const nodes = [{ title: 'C', ref: 'c', parent: 'x' }]
  const namedNodes = naming.nameNodes(nodes) ?? []
  expect(namedNodes).toEqual([{ title: 'C', noteid: 'c', parent: 'x' }])
  expect(renameNodeIds(namedNodes, 'noteid', 'ref')).toEqual(nodes)
  const usual = [{ noteid: 'a' }]
  expect(new NodeIdNormalizer().nameNodes(usual)).toBe(usual)
})

test('a listing is read with the ids of its cards, or its shape is not known', () => {
  const nodes = [{ id: 'a' }, { id: 'b', parent: 'a' }]
  const { value, bindingProblemCount } = readResponse('studySets.tree', { bridgeApiVersion: '1', nodes })
  expect([value?.nodes.map(({ noteid }) => noteid), bindingProblemCount]).toEqual([['a', 'b'], 0])
  const unread = readResponse('studySets.tree', { nodes: [{ heading: 'A' }, { heading: 'B' }] })
  expect(unread).toMatchObject({ value: undefined, isShapeUnknown: true, problemCount: 0 })
  expect(readResponse('studySets.tree', { nodes: [] }).value?.nodes).toEqual([])
})
