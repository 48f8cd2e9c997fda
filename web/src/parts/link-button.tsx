// A link to a page that looks like a button. Its address and parameters are checked like those of a link.
import { Button, type ButtonProps } from '@mantine/core'
import { createLink } from '@tanstack/react-router'
import type { ComponentPropsWithRef } from 'react'

type AnchorProps = ButtonProps & Omit<ComponentPropsWithRef<'a'>, keyof ButtonProps>

export const LinkButton = createLink((props: AnchorProps) => <Button component="a" data-button {...props} />)
