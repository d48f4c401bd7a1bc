import { describe, expect, it } from 'vitest'
import { compareCapabilities } from '../../../shared/bridge/capabilities.ts'
import { endpoint, endpoints } from '../../../shared/bridge/endpoints/index.ts'
import { buildPath } from '../../../shared/bridge/request.ts'

const withoutTree = endpoints
  .filter(({ id }) => id !== 'studySets.tree')
  .map(({ method, path }): { method: string; path: string } => ({ method, path }))

const compare = (...more: { method: string; path: string }[]) =>
  compareCapabilities({ routes: [...withoutTree, ...more] })

describe('the path of the card listing, which the spec does not give', () => {
  it.each([
    ['/study-sets/{id}/cards', '/study-sets/A%2FB/cards'],
    ['/study-sets/{topicid}/nodes', '/study-sets/A%2FB/nodes'],
    ['bridge/v1/study-sets/{id}/mind-map', '/study-sets/A%2FB/mind-map'],
    ['/bridge/v1/study-sets/:id/cards/', '/study-sets/A%2FB/cards'],
  ])('listed as %s', (path, asked) => {
    const report = compare({ method: 'get', path })
    expect(report.missing).toEqual([])
    expect(report.unknown).toEqual([])
    const template = report.pathOverrides['studySets.tree']
    expect(buildPath(endpoint('studySets.tree'), { topicid: 'A/B' }, {}, template)).toBe(asked)
  })

  it('is not replaced by a lookalike', () => {
    const others = [
      { method: 'POST', path: '/study-sets/{id}/cards' },
      { method: 'GET', path: '/study-sets/{id}/tree/{index}' },
      { method: 'GET', path: '/decks/{id}/tree' },
      { method: 'GET', path: '/study-sets/{id}/../../evil/tree' },
    ]
    const report = compare(...others)
    expect(report.pathOverrides).toEqual({})
    expect(report.missing).toEqual(['studySets.tree'])
    expect(report.unknown).toEqual(others)
  })

  it('a write on the same path stays unknown', () => {
    const write = { method: 'POST', path: '/study-sets/{id}/cards' }
    const report = compare({ method: 'GET', path: '/study-sets/{id}/cards' }, write)
    expect(report.pathOverrides['studySets.tree']).toBe('/study-sets/{id}/cards')
    expect(report.unknown).toEqual([write])
  })

  it('the default stays if the host lists it, whatever else it lists', () => {
    const report = compare(
      { method: 'GET', path: '/study-sets/{id}/tree' },
      { method: 'GET', path: '/study-sets/{id}/nodes' },
    )
    expect(report.pathOverrides).toEqual({})
    expect(report.unknown).toEqual([{ method: 'GET', path: '/study-sets/{id}/nodes' }])
  })
})
