import { Brush, File, Film, Heading, Image, Music, Paperclip, RectangleHorizontal, TextAlignStart } from '@lucide/vue'
import type { Component } from 'vue'
import type { CardPart } from '../../model/cards/card-parts.ts'

const icons: Readonly<Record<string, Component>> = {
  title: Heading,
  text: TextAlignStart,
  rich_text: TextAlignStart,
  blank: RectangleHorizontal,
  blank_image: RectangleHorizontal,
  excerpt_image: Image,
  image: Image,
  ink: Brush,
  audio: Music,
  video: Film,
  attachment: Paperclip,
}

/** Returns the icon for the kind of a part; an unknown kind gets a plain sheet. */
export function getPartIcon({ kind }: Pick<CardPart, 'kind'>): Component {
  return Object.hasOwn(icons, kind) ? (icons[kind] ?? File) : File
}
