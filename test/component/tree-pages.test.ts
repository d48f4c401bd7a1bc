import { expect, test, vi } from 'vitest'
import { prepareListingAccess, TreePages, type TreeKey } from '../../renderer/stores/tree-pages.ts'
import { LISTING_ACCESS_EXPIRED } from '../../renderer/workers/listing-reader.ts'
import type { FetchedPage, TreeWorker } from '../../renderer/workers/tree-client.ts'
import { AppError } from '../../shared/errors.ts'
import { installFakeServiceProcess } from '../support/vue/mounting.ts'

const key: TreeKey = { topicid: 'T', root: '', sort: 'document', pageSize: 10 }
const page = {} as FetchedPage

test('once the access of workers is known, the first page is requested at once, and with a new access after it has expired', async () => {
  let listingKey = 'first'
  const { calls } = installFakeServiceProcess({ 'listing.key': () => listingKey })
  const fetchPage = vi.fn<TreeWorker['fetchPage']>(() => Promise.resolve(page))
  const worker = { fetchPage, stopFetching: () => undefined } as unknown as TreeWorker
  const fetchFirstPage = (): Promise<FetchedPage> =>
    new TreePages(worker, key, new AbortController().signal).fetchPage(null, Promise.resolve())

  await Promise.all([prepareListingAccess(), prepareListingAccess()])
  await prepareListingAccess()
  void fetchFirstPage()
  const input = { endpoint: 'studySets.tree', params: { topicid: 'T' }, query: { limit: 10, sort: 'document' } }
  expect(fetchPage.mock.calls).toMatchObject([[{ cursor: null, input }]])

  listingKey = 'second'
  const expired = new AppError({ kind: 'refused', code: LISTING_ACCESS_EXPIRED, message: '', retryable: true })
  fetchPage.mockRejectedValueOnce(expired)
  expect(await fetchFirstPage()).toBe(page)
  void fetchFirstPage()
  const usedKeys = fetchPage.mock.calls.map(([{ access }]) => Object.values(access.headers))
  expect(usedKeys).toEqual([['first'], ['first'], ['second'], ['second']])
  expect(new Set(calls.map(({ method }) => method))).toEqual(new Set(['listing.key']))
})
