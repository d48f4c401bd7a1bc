import { readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { describe, expect, test } from 'vitest'
import { validateRoutePaths, filterValidRoutePaths } from '../../../../electron/services/profiles/route-paths.ts'
import type { ProfileDraft } from '../../../../shared/ipc/profiles.ts'
import { createTempDir } from '../../../support/data/temp-dir.ts'
import { startStores } from '../../../support/services/service-environment.ts'

const draft: ProfileDraft = {
  name: 'Host',
  baseUrl: 'http://127.0.0.1:42340',
  auth: { header: 'Authorization', scheme: 'Bearer' },
  readOnly: true,
}

describe('path that a person sets for a route', () => {
  test.each([
    ['/study-sets/{id}/listing', '/study-sets/{id}/listing'],
    [' bridge/v1/maps/:topicid/all/ ', '/maps/{topicid}/all'],
    ['/study-sets/{id}/listing?root={root}', '/study-sets/{id}/listing'],
    // This is a path of the same host, and no address of another.
    ['//evil.example/{id}', '/evil.example/{id}'],
  ])('is normalized from %s', (typed, expected) => {
    expect(validateRoutePaths({ 'studySets.tree': typed })).toEqual({ 'studySets.tree': expected })
  })

  test.each([
    ['no placeholder for the study set', 'studySets.tree', '/listing'],
    ['one placeholder too many', 'studySets.tree', '/sets/{id}/{index}'],
    ['a way out', 'studySets.tree', '/study-sets/{id}/../../x'],
    ['an encoded way out', 'studySets.tree', '/study-sets/{id}/%2e%2e/x'],
    ['an address', 'studySets.tree', 'http://evil.example/{id}'],
    ['a line break', 'studySets.tree', '/study-sets/{id}/x\r\nX: y'],
    ['a half placeholder', 'studySets.tree', '/study-sets/a{id}/x'],
    ['a write', 'notes.move', '/notes/relocate'],
    ['a read by POST, which could become a write', 'notes.batchGet', '/notes/delete'],
    ['a row that returns a token', 'install.get', '/setup'],
    ['a path that returns a token', 'decks.list', '/install'],
    ['a row without a token', 'status.get', '/state'],
    ['no row', '__proto__', '/x'],
  ])('is refused with %s', (_, id, typed) => {
    expect(() => validateRoutePaths({ [id]: typed })).toThrow(
      expect.objectContaining({ code: 'ROUTE_PATH_INVALID' }) as Error,
    )
    expect(filterValidRoutePaths({ [id]: typed })).toEqual({})
  })

  test('is stored with the profile until it is emptied, and does not harm the profile if it is damaged', async () => {
    const dir = createTempDir()
    const paths = { 'studySets.tree': '/study-sets/{id}/listing' }
    const { profile } = (await startStores(dir)).profiles.save({ ...draft, paths })
    expect(profile.paths).toEqual(paths)
    const second = await startStores(dir)
    expect(second.profiles.save({ ...draft, id: profile.id, name: 'Other' }).profile.paths).toEqual(paths)
    const emptied = second.profiles.save({ ...draft, id: profile.id, paths: { 'studySets.tree': ' ' } })
    expect(emptied.profile.paths).toBeUndefined()
    second.profiles.save({ ...draft, id: profile.id, paths })
    const file = path.join(dir, 'profiles.json')
    writeFileSync(file, readFileSync(file, 'utf8').replace(/"paths": \{[^}]*\}/, '"paths": 7'))
    expect((await startStores(dir)).profiles.list()).toMatchObject([{ profile: { id: profile.id } }])
  })
})
