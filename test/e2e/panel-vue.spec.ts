import { mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import net, { type AddressInfo } from 'node:net'
import os from 'node:os'
import path from 'node:path'
import vue from '@vitejs/plugin-vue'
import type { Page } from '@playwright/test'
import { build, createServer, type ViteDevServer } from 'vite'
import { root } from '../../scripts/lib/paths.mjs'
import { expect, test } from './fixtures.ts'
import { openFolder, openServer, getPanel } from './panel-page.ts'
import { waitForConnection } from './support.ts'

const files = {
  'index.html': `<!doctype html>
<html><head><title>Vue panel</title></head>
<body><div id="app"></div><script type="module" src="/main.js"></script></body></html>`,
  'main.js': `import { createApp } from 'vue'
import App from './App.vue'
createApp(App).mount('#app')`,
  'App.vue': `<script setup>
import { onMounted, ref } from 'vue'
const count = ref(0)
const topicid = ref('')
onMounted(async () => {
  const answer = await host.api('/ui-state')
  topicid.value = answer.error?.code ?? answer.state.topicid
})
</script>
<template>
  <h1>Version one</h1>
  <p data-testid="topic">{{ topicid }}</p>
  <button type="button" @click="count += 1">Clicked {{ count }}</button>
</template>`,
}

/** Vite tells its page the port that it was configured with, so it must be a real one. */
async function findFreePort(): Promise<number> {
  const occupiedServer = net.createServer()
  await new Promise<void>((resolve) => occupiedServer.listen(0, '127.0.0.1', resolve))
  const { port } = occupiedServer.address() as AddressInfo
  await new Promise((resolve) => occupiedServer.close(resolve))
  return port
}

let folder = ''
let server: ViteDevServer | null = null

test.beforeEach(async () => {
  folder = mkdtempSync(path.join(os.tmpdir(), 'panel-vue-'))
  // The panel uses the packages of this project.
  symlinkSync(path.join(root, 'node_modules'), path.join(folder, 'node_modules'), 'junction')
  for (const [name, text] of Object.entries(files)) writeFileSync(path.join(folder, name), text)
  server = await createServer({
    root: folder,
    configFile: false,
    logLevel: 'silent',
    cacheDir: path.join(folder, '.vite'),
    plugins: [vue()],
    // Vite would reload the page if it discovered this dependency later.
    optimizeDeps: { include: ['vue'] },
    server: { host: '127.0.0.1', port: await findFreePort(), strictPort: true, fs: { strict: false } },
  })
  await server.listen()
})

test.afterEach(async () => {
  await server?.close()
  rmSync(folder, { recursive: true, force: true })
})

/** Follows the panel's call to the line of its component. */
async function expectLineOfComponent(page: Page): Promise<void> {
  await page.getByRole('grid', { name: 'Calls' }).getByRole('row').filter({ hasText: '/ui-state' }).first().click()
  await page.getByRole('region', { name: 'Initiator' }).getByRole('button', { name: '/App.vue:6', exact: true }).click()
  const source = page.getByRole('dialog', { name: 'Source' })
  await expect(source.locator('.cm-shown-line')).toContainText("const answer = await host.api('/ui-state')")
  await expect(source).toContainText('<script setup>')
  await source.getByRole('button', { name: 'Close' }).click()
}

test('a panel of a development server calls the host, and applies a change without a reload @either', async ({
  app,
  page,
}) => {
  await waitForConnection(page)
  const url = server?.resolvedUrls?.local[0] ?? ''
  const panel = await openServer(app, url)
  await expect(panel.getByRole('heading', { name: 'Version one' })).toBeVisible()
  await expect(panel.getByTestId('topic')).toHaveText(/^[\dA-F-]{36}$/)
  await panel.getByRole('button', { name: 'Clicked 0' }).click()
  await expect(panel.getByRole('button', { name: 'Clicked 1' })).toBeVisible()

  const file = path.join(folder, 'App.vue')
  writeFileSync(file, readFileSync(file, 'utf8').replace('Version one', 'Version two'))
  await expect(panel.getByRole('heading', { name: 'Version two' })).toBeVisible()
  // The page keeps its state, because only the component was replaced.
  await expect(panel.getByRole('button', { name: 'Clicked 1' })).toBeVisible()
  expect((await getPanel(app)).url()).toBe(panel.url())
  await expectLineOfComponent(page)
})

test('a call of a built panel leads to the line of its component @either', async ({ app, page }) => {
  await waitForConnection(page)
  await build({
    root: folder,
    configFile: false,
    logLevel: 'silent',
    plugins: [vue()],
    build: { outDir: 'dist', sourcemap: true },
  })
  const panel = await openFolder(app, path.join(folder, 'dist'))
  await expect(panel.getByTestId('topic')).toHaveText(/^[\dA-F-]{36}$/)
  await expectLineOfComponent(page)
})
