import path from 'node:path'
import { pathToFileURL } from 'node:url'
import { expect, onTestFinished, test, vi } from 'vitest'

/** The sample's own module, on a host that lists these routes. */
async function pathOn(capabilities: unknown): Promise<unknown> {
  vi.stubGlobal('host', { api: () => Promise.resolve(capabilities) })
  onTestFinished(() => void vi.unstubAllGlobals())
  const file = path.resolve('resources/demo/panels/practice/listing.js')
  const { listingPath } = (await import(pathToFileURL(file).href)) as { listingPath: () => Promise<unknown> }
  return listingPath()
}

const usual = '/study-sets/{id}/tree'
const own = '/study-sets/{topicid}/cards'
const all = ['root', 'limit', 'cursor', 'sort']
const get = (at: string, more: object = {}) => ({ method: 'GET', path: at, ...more })

test.each<[string, unknown, string]>([
  ['that lists the usual one', { routes: [get(own, { query: all }), get(usual)] }, usual],
  ['that names its placeholder otherwise', { routes: [get('/study-sets/{topicid}/tree')] }, usual],
  [
    'that lists another one with its query',
    { routes: [get('/study-sets/{id}/documents'), get(own, { query: all })] },
    own,
  ],
  ['whose parameters are objects', { routes: [get(own, { parameters: all.map((name) => ({ name })) })] }, own],
  ['whose paths have the query', { routes: [get(`${own}?root={root}&cursor={cursor}&sort=document`)] }, own],
  ['whose paths have a query form', { routes: [get(`${own}{?root,limit,cursor,sort}`)] }, own],
  ['that lists a write of that kind', { routes: [{ ...get(own, { query: all }), method: 'POST' }] }, usual],
  ['that lists one with a part of them', { routes: [get(own, { query: ['limit', 'cursor'] })] }, usual],
  ['that says nothing', {}, usual],
  ['that refuses', { error: { code: 'IN_PROCESS_NOT_ALLOWED', message: 'm' } }, usual],
])('the sample panel reads the card listing of a host %s', async (_host, capabilities, found) => {
  expect(await pathOn(capabilities)).toBe(found)
})
