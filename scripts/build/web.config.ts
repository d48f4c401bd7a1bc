import { defineConfig } from 'vite'
import { pageConfig } from './page-config.ts'

export default defineConfig(pageConfig({ entry: 'index.web.ts', outDir: 'out/web' }))
