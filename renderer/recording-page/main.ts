// The page that a recording becomes (recording-file/page-writer.ts). It is built into one file that
// asks for nothing, and is made of the components of the program. Read RecordingPage.vue next.

import './zod-config.ts'
import { createApp } from 'vue'
import { installPageBuffer } from '../../electron/recording-page/embedded-recording.ts'
import { createTranslator, pickSystemLocale, setLocale, type AppLocale, type LocaleMessages } from '../i18n/index.ts'
import '../styles/tokens.css'
import '../styles/base.css'
import '../styles/utilities.css'
import '../styles/forced-colors.css'
import './page.css'
import RecordingPage from './RecordingPage.vue'

installPageBuffer()

/** JSON of the texts by language; the build keeps those that this script can ask for. */
declare const PAGE_MESSAGES: string
const messages = JSON.parse(PAGE_MESSAGES) as Record<AppLocale, LocaleMessages>

const locale = pickSystemLocale(navigator.languages)
const translator = createTranslator(locale)
translator.global.setLocaleMessage('en', messages.en)
translator.global.setLocaleMessage('zh-CN', messages['zh-CN'])
setLocale(translator, locale)

const root = document.documentElement
const dark = matchMedia('(prefers-color-scheme: dark)')
const applyTheme = (): void => void (root.dataset['theme'] = dark.matches ? 'dark' : 'light')
dark.addEventListener('change', applyTheme)
applyTheme()
root.dataset['density'] = 'compact'

createApp(RecordingPage, { source: document.getElementById('recording')?.textContent ?? '' })
  .use(translator)
  .mount('#app')
