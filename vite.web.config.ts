import { defineConfig } from 'vite'
import { pageConfig } from './vite.page.ts'

export default defineConfig(pageConfig({ host: 'index.web.ts', outDir: 'out/web' }))
