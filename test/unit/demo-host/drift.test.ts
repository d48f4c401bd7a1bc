import { describe, expect, it, onTestFinished } from 'vitest'
import { driftList, driftVersions, listDrift } from '../../../electron/demo-host/drift/drift-list.ts'
import { endpoints } from '../../../shared/bridge/endpoints/index.ts'
import { startDemo } from '../../support/hosts/demo.ts'

describe('list of deviations', () => {
  it('holds 40, each once, with a route of the contract unless the route itself is unknown', () => {
    expect(driftList.length).toBe(40)
    const identities = driftList.map((entry) => `${entry.kind} ${entry.method} ${entry.template} ${entry.pointer}`)
    expect(new Set(identities).size).toBe(40)
    const routes = new Set(endpoints.map(({ method, path }) => `${method} ${path}`))
    for (const { kind, method, template } of driftList)
      expect(routes.has(`${method} ${template}`), template).toBe(kind !== 'unknown-route')
  })

  it('has deviations that begin and that end with each later version', () => {
    for (const version of driftVersions.slice(1)) {
      expect(driftList.some(({ since }) => since === version)).toBe(true)
      expect(driftList.some(({ until }) => until === version)).toBe(true)
    }
    const versions = driftVersions.map(listDrift)
    expect(new Set(versions.flat()).size).toBe(40)
  })
})

describe('host with the fault drift', () => {
  it('tells its version, which can change while it runs', async () => {
    const { host, ask } = await startDemo({ fault: 'drift' })
    onTestFinished(() => host.close())
    const readVersion = async () => (await ask('status.get')).json['bridgeApiVersion']
    expect(await readVersion()).toBe('1.0')
    host.setDriftVersion('0.92')
    expect(await readVersion()).toBe('0.92')
    host.setFault(null)
    expect(await readVersion()).toBe('0.91')
  })

  it('leaves errors, and lists that are not limited, as they are', async () => {
    const { host, ask, send } = await startDemo({ fault: 'drift' })
    onTestFinished(() => host.close())
    const missing = await send('GET', '/study-sets/none/note-palette')
    expect([missing.status, Object.keys(missing.json).sort()]).toEqual([404, ['bridgeApiVersion', 'error']])
    const topicid = host.state.openState.topicid ?? ''
    const { nodes, nodeTotal } = (await ask('studySets.tree', { params: { topicid } })).json
    expect((nodes as unknown[]).length).toBe(nodeTotal)
  })
})
