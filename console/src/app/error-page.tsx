import { Button, Container } from '@mantine/core';
import { type ErrorComponentProps, Link } from '@tanstack/react-router';
import { faultOf } from '../api/client.ts';
import { FaultNote } from '../ui/fault.tsx';
import { Empty } from '../ui/page.tsx';

export function NotFoundPage() {
  return (
    <Empty
      title="There is no page here"
      about="The address may be mistyped, or what it led to is gone."
      action={{ label: 'Go to the overview', to: '/' }}
    />
  );
}

/** A page that could not be shown at all. */
export function ErrorPage({ error, reset }: ErrorComponentProps) {
  return (
    <Container size="sm" py="xl">
      <FaultNote fault={faultOf(error)} retry={reset} />
      <Button component={Link} to="/" variant="default" mt="md">
        Go to the overview
      </Button>
    </Container>
  );
}
