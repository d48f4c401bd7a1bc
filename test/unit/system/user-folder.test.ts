import { expect, test } from 'vitest'
import { getUserFolder } from '../../../electron/system/user-folder.ts'

const linux = { platform: 'linux', home: '/home/a' } as const
const mac = { platform: 'darwin', home: '/Users/a' } as const
const windows = { platform: 'win32', home: String.raw`C:\Users\a b` } as const

test('data and caches are where each system has them', () => {
  expect(getUserFolder('config', {}, linux)).toBe('/home/a/.config')
  expect(getUserFolder('cache', {}, linux)).toBe('/home/a/.cache')
  expect(getUserFolder('config', { XDG_CONFIG_HOME: '/x' }, linux)).toBe('/x')
  expect(getUserFolder('cache', { XDG_CACHE_HOME: '/x' }, linux)).toBe('/x')
  expect(getUserFolder('config', { XDG_CONFIG_HOME: '/x' }, mac)).toBe('/Users/a/Library/Application Support')
  expect(getUserFolder('cache', {}, mac)).toBe('/Users/a/Library/Caches')
  expect(getUserFolder('config', {}, windows)).toBe(String.raw`C:\Users\a b\AppData\Roaming`)
  expect(getUserFolder('cache', {}, windows)).toBe(String.raw`C:\Users\a b\AppData\Local`)
  expect(getUserFolder('config', { APPDATA: String.raw`D:\Roaming` }, windows)).toBe(String.raw`D:\Roaming`)
})

test('an empty or relative path in the environment is ignored, so that no data lands in the working directory', () => {
  expect(getUserFolder('config', { XDG_CONFIG_HOME: '' }, linux)).toBe('/home/a/.config')
  expect(getUserFolder('cache', { XDG_CACHE_HOME: 'cache' }, linux)).toBe('/home/a/.cache')
  expect(getUserFolder('config', { APPDATA: '' }, windows)).toBe(String.raw`C:\Users\a b\AppData\Roaming`)
})
