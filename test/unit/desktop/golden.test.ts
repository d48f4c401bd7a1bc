import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import os from 'node:os'
import path from 'node:path'
import { FuseState, FuseV1Options, getCurrentFuseWire } from '@electron/fuses'
import type { Session } from 'electron'
import { describe, expect, test } from 'vitest'
import { securityHeaders } from '../../../electron/browser-host/responses.ts'
import { createPageHeaders } from '../../../electron/desktop/origin.ts'
import { appScheme } from '../../../electron/desktop/page-protocol.ts'
import { createPagePreferences } from '../../../electron/desktop/web-preferences.ts'
import { createPageCsp } from '../../../electron/page/page-csp.ts'

const require = createRequire(import.meta.url)
const { fuses, applyFuses } = require('../../../scripts/lib/fuses.cjs') as {
  fuses: Record<string, boolean>
  applyFuses(executable: string): Promise<void>
}
const root = new URL('../../../', import.meta.url)

// How an Electron executable marks where its fuses are.
const SENTINEL = 'dL7pKGdnNz796PbbjQWNKmHXBZaB9tsX'

const builder = require('../../../scripts/build/electron-builder.config.cjs') as {
  asar: boolean
  afterPack: unknown
  electronFuses?: unknown
  files: string[]
  productName: string
  executableName: string
  linux: object
}
const manifest = JSON.parse(readFileSync(new URL('package.json', root), 'utf8')) as { version: string }

/**
 * The AppImage's menu entry, created by electron-builder's own code from our configuration with
 * these Linux options.
 */
async function menuEntry(linux: object): Promise<string> {
  const { default: AppImageTarget } = require('app-builder-lib/out/targets/appimage/AppImageTarget') as Builder
  const { LinuxTargetHelper } = require('app-builder-lib/out/targets/LinuxTargetHelper') as Builder
  const { productName, executableName } = builder
  const packager = {
    platformSpecificBuildOptions: linux,
    config: builder,
    appInfo: { productName, productFilename: productName, buildVersion: manifest.version },
    executableName,
    fileAssociations: [],
    info: { metadata: { ...manifest, desktopName: executableName } },
  }
  return new AppImageTarget('appimage', packager, new LinuxTargetHelper(packager), '').desktopEntry.value
}

interface Builder {
  readonly default: new (...parts: unknown[]) => { readonly desktopEntry: { readonly value: Promise<string> } }
  readonly LinuxTargetHelper: new (packager: object) => object
}

describe('security settings that must not be weakened', () => {
  test('safety 16: include the content security policy of the page', () => {
    expect(createPageCsp().split('; ')).toEqual([
      "default-src 'none'",
      "script-src 'self'",
      "style-src 'self'",
      "img-src 'self' data: blob: bridge-content:",
      "media-src 'self' blob: bridge-content:",
      "font-src 'self'",
      "connect-src 'self'",
      "worker-src 'self'",
      "object-src 'none'",
      "base-uri 'none'",
      "form-action 'none'",
      "frame-ancestors 'none'",
    ])
    expect(createPageCsp()).not.toMatch(/script-src[^;]*unsafe|\*|https?:/)
  })

  test('safety 16: include the same policy for the page in the desktop app and in the browser', () => {
    expect(createPageHeaders('text/html')['content-security-policy']).toBe(securityHeaders['Content-Security-Policy'])
  })

  test('safety 16: include the headers of every response', () => {
    expect(Object.keys(createPageHeaders('text/html')).sort()).toEqual([
      'cache-control',
      'content-security-policy',
      'content-type',
      'cross-origin-opener-policy',
      'cross-origin-resource-policy',
      'referrer-policy',
      'x-content-type-options',
    ])
    expect(createPageHeaders('text/html')['x-content-type-options']).toBe('nosniff')
  })

  test('safety 16, safety 30: include the web preferences of the window, whose frames have no preload', () => {
    const session = {} as Session
    expect(createPagePreferences('/preload.cjs', session, false)).toEqual({
      preload: '/preload.cjs',
      session,
      sandbox: true,
      contextIsolation: true,
      nodeIntegration: false,
      nodeIntegrationInWorker: false,
      nodeIntegrationInSubFrames: false,
      webSecurity: true,
      allowRunningInsecureContent: false,
      experimentalFeatures: false,
      webviewTag: false,
      navigateOnDragDrop: false,
      safeDialogs: true,
      spellcheck: false,
      devTools: false,
    })
  })

  test('safety 16: include the privileges of the app scheme', () => {
    expect(appScheme).toEqual({
      scheme: 'app',
      privileges: { standard: true, secure: true, supportFetchAPI: true },
    })
  })

  test('safety 16: include every fuse of Electron', () => {
    const enabled = Object.keys(fuses).filter((name) => fuses[name])
    expect(enabled.sort()).toEqual([
      'EnableCookieEncryption',
      'EnableEmbeddedAsarIntegrityValidation',
      'OnlyLoadAppFromAsar',
      'WasmTrapHandlers',
    ])
    const knownEntries = Object.keys(FuseV1Options).filter((name) => Number.isNaN(Number(name)))
    expect(Object.keys(fuses).sort()).toEqual(knownEntries.sort())
  })

  test('safety 16: are applied to the fuses of an executable', async () => {
    const folder = mkdtempSync(path.join(os.tmpdir(), 'fuses-'))
    try {
      const executable = path.join(folder, 'app')
      const wire = Buffer.from('0'.repeat(9))
      writeFileSync(executable, Buffer.concat([Buffer.from(`code${SENTINEL}`), Buffer.from([1, 9]), wire]))
      await applyFuses(executable)
      const matches: Record<string, unknown> = { ...(await getCurrentFuseWire(executable)) }
      for (const [name, on] of Object.entries(fuses)) {
        const index = FuseV1Options[name as keyof typeof FuseV1Options]
        expect([name, matches[index]]).toEqual([name, on ? FuseState.ENABLE : FuseState.DISABLE])
      }
    } finally {
      rmSync(folder, { recursive: true })
    }
  })

  test('safety 16: stop packaging if an executable has an undecided fuse', async () => {
    const folder = mkdtempSync(path.join(os.tmpdir(), 'fuses-'))
    try {
      const executable = path.join(folder, 'app')
      writeFileSync(
        executable,
        Buffer.concat([Buffer.from(SENTINEL), Buffer.from([1, 10]), Buffer.from('0'.repeat(10))]),
      )
      await expect(applyFuses(executable)).rejects.toThrow()
    } finally {
      rmSync(folder, { recursive: true })
    }
  })

  test('safety 16: are applied before signing, and the package contains only an archive of the bundles', () => {
    expect(builder.asar).toBe(true)
    expect(builder.afterPack).toBe(require('../../../scripts/build/after-pack.cjs'))
    expect(builder.electronFuses).toBeUndefined()
    const packed = builder.files.filter((pattern) => !pattern.startsWith('!'))
    expect(
      packed.filter(
        (pattern) =>
          !/^(out\/(main|page|preload|renderer)|resources\/(demo|panel))\/|^resources\/bridge\.d\.ts$|^package\.json$/.test(
            pattern,
          ),
      ),
    ).toEqual([])
    expect(builder.files).toEqual(expect.arrayContaining(['!node_modules/**', '!**/*.map']))
  })

  test('safety 53: keep the sandbox enabled in every generated Linux menu entry', async () => {
    const exec = (entry: string): string[] => entry.split('\n').filter((line) => line.startsWith('Exec='))
    const { linux } = builder
    expect(exec(await menuEntry(linux))).toEqual(['Exec=AppRun %U'])
    // Shows why the option is needed.
    expect(exec(await menuEntry({ ...linux, executableArgs: undefined }))).toEqual(['Exec=AppRun --no-sandbox %U'])
  })

  test('safety 16: forbid inline scripts, and the page has none', () => {
    const html = readFileSync(new URL('renderer/index.html', root), 'utf8')
    for (const [tag] of html.matchAll(/<script[^>]*>/g)) expect(tag).toContain(' src=')
    expect(html).not.toMatch(/\son\w+=|javascript:/i)
  })
})
