import { flushPromises } from '@vue/test-utils'
import { afterEach, expect, test } from 'vitest'
import RouteMatchStrip from '../../../renderer/panes/contract/RouteMatchStrip.vue'
import { useConnection } from '../../../renderer/stores/connection.ts'
import { compareCapabilities } from '../../../shared/bridge/capabilities.ts'
import { endpoints } from '../../../shared/bridge/endpoints/index.ts'
import { installFakeServiceProcess, mountComponent } from '../../support/vue/mounting.ts'
import { createConnectionState, profile } from '../../support/vue/states.ts'

afterEach(() => {
  document.body.innerHTML = ''
})

const others = endpoints.filter(({ id }) => id !== 'studySets.tree').map(({ method, path }) => ({ method, path }))
const listing = (name: string, query: readonly string[]) => ({ method: 'GET', path: `/study-sets/{id}/${name}`, query })

test('the likeliest of several routes is used for the card listing, and the user’s choice is stored in the profile', async () => {
  const page = installFakeServiceProcess({ 'profiles.save': () => ({}), 'profiles.list': () => [] })
  const report = compareCapabilities({
    routes: [
      ...others,
      listing('by-page', ['root', 'limit', 'cursor']),
      listing('in-order', ['root', 'limit', 'cursor', 'sort']),
    ],
  })
  const strip = mountComponent(RouteMatchStrip, { props: { report } })
  useConnection().state = createConnectionState({ profile: { ...profile, paths: { 'search.get': '/find' } } })
  await flushPromises()
  const choice = document.querySelector<HTMLSelectElement>('select[aria-label="Path of Card listing"]')
  if (!choice) throw new Error('no choice')
  const paths = ['/study-sets/{id}/in-order', '/study-sets/{id}/by-page', '/study-sets/{topicid}/tree']
  expect([...choice.options].map(({ text }) => text.trim())).toEqual(paths)
  expect(choice.value).toBe(paths[0])
  expect(strip.text()).toContain('3 routes fit: choose the one to read')
  choice.value = paths[1] ?? ''
  choice.dispatchEvent(new Event('change'))
  await flushPromises()
  const saved = page.calls.find(({ method }) => method === 'profiles.save')?.input
  expect(saved).toMatchObject({ id: 'p1', paths: { 'search.get': '/find', 'studySets.tree': paths[1] } })
})

test('the only matching route is shown without a choice', () => {
  installFakeServiceProcess({})
  const report = compareCapabilities({ routes: [...others, listing('in-order', ['root', 'limit', 'cursor', 'sort'])] })
  const strip = mountComponent(RouteMatchStrip, { props: { report } })
  expect(strip.text()).toContain('/study-sets/{id}/in-order')
  expect(document.querySelectorAll('select')).toHaveLength(0)
})

test('nothing is shown if the host lists the usual path', () => {
  installFakeServiceProcess({})
  const routes = endpoints.map(({ method, path }) => ({ method, path }))
  expect(
    mountComponent(RouteMatchStrip, { props: { report: compareCapabilities({ routes }) } })
      .find('section')
      .exists(),
  ).toBe(false)
})
