import path from 'node:path'
import { pathToFileURL } from 'node:url'
import { expect, onTestFinished, test, vi } from 'vitest'

/** Runs the listing module of the sample with the capabilities of a host. */
async function getListingPath(capabilities: unknown): Promise<unknown> {
  vi.stubGlobal('host', { api: () => Promise.resolve(capabilities) })
  onTestFinished(() => void vi.unstubAllGlobals())
  const file = path.resolve('resources/demo/panels/practice/listing.js')
  const { findListingPath } = (await import(pathToFileURL(file).href)) as { findListingPath: () => Promise<unknown> }
  return findListingPath()
}

const USUAL_PATH = '/study-sets/{id}/tree'
const OTHER_PATH = '/study-sets/{topicid}/cards'
const QUERY_NAMES = ['root', 'limit', 'cursor', 'sort']
const createRoute = (template: string, more: object = {}) => ({ method: 'GET', path: template, ...more })

test.each<[string, unknown, string]>([
  [
    'that lists the usual path',
    { routes: [createRoute(OTHER_PATH, { query: QUERY_NAMES }), createRoute(USUAL_PATH)] },
    USUAL_PATH,
  ],
  ['with another placeholder name', { routes: [createRoute('/study-sets/{topicid}/tree')] }, USUAL_PATH],
  [
    'that lists another path with its query',
    { routes: [createRoute('/study-sets/{id}/documents'), createRoute(OTHER_PATH, { query: QUERY_NAMES })] },
    OTHER_PATH,
  ],
  [
    'whose parameters are objects',
    { routes: [createRoute(OTHER_PATH, { parameters: QUERY_NAMES.map((name) => ({ name })) })] },
    OTHER_PATH,
  ],
  [
    'whose paths have the query',
    { routes: [createRoute(`${OTHER_PATH}?root={root}&cursor={cursor}&sort=document`)] },
    OTHER_PATH,
  ],
  ['whose paths have a query form', { routes: [createRoute(`${OTHER_PATH}{?root,limit,cursor,sort}`)] }, OTHER_PATH],
  [
    'that lists a write on the other path',
    { routes: [{ ...createRoute(OTHER_PATH, { query: QUERY_NAMES }), method: 'POST' }] },
    USUAL_PATH,
  ],
  [
    'that lists the other path with some parameters',
    { routes: [createRoute(OTHER_PATH, { query: ['limit', 'cursor'] })] },
    USUAL_PATH,
  ],
  ['without capabilities', {}, USUAL_PATH],
  ['that refuses', { error: { code: 'IN_PROCESS_NOT_ALLOWED', message: 'm' } }, USUAL_PATH],
])('the sample panel reads the card listing of a host %s', async (_host, capabilities, expectedPath) => {
  expect(await getListingPath(capabilities)).toBe(expectedPath)
})
