import { messageFiles as en } from '../../../renderer/i18n/en.ts'
import { createTranslator, type AppLocale, type Translator } from '../../../renderer/i18n/index.ts'
import { addMessages } from '../../../renderer/i18n/locale-loader.ts'
import { messageFiles as zh } from '../../../renderer/i18n/zh-CN.ts'

/** A translator as the page's, with the texts of both languages. */
export function createTestTranslator(locale: AppLocale): Translator {
  const translator = createTranslator(locale)
  addMessages(translator, 'en', en)
  addMessages(translator, 'zh-CN', zh)
  return translator
}
