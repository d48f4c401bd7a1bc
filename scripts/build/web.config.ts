import { defineConfig } from 'vite'
import { createPageConfig } from './page-config.ts'

export default defineConfig(createPageConfig({ entry: 'index.web.ts', outDir: 'out/web' }))
