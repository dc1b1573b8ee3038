import { Button, Container } from '@mantine/core';
import { type ErrorComponentProps, Link, useRouter } from '@tanstack/react-router';
import { useEffect } from 'react';
import { faultOf } from '../api/client.ts';
import { whenBack } from '../api/connection.ts';
import { FaultNote } from '../ui/fault.tsx';
import { PageHead } from '../ui/page.tsx';

export function NotFoundPage() {
  return (
    <Container component="main" size="sm" py="xl">
      <NoSuchPage />
    </Container>
  );
}

/** The same, within the frame. */
export function NoSuchPage() {
  return (
    <>
      <PageHead
        title="There is no page here"
        about="The address may be mistyped, or what it led to is gone."
      />
      <Button component={Link} to="/">
        Go to the overview
      </Button>
    </>
  );
}

/** What could not be shown where there is no frame yet. */
export function PortalError(props: ErrorComponentProps) {
  return (
    <Container component="main" size="sm" py="xl">
      <ErrorPage {...props} />
    </Container>
  );
}

/** A page that could not be shown at all. */
export function ErrorPage({ error, reset }: ErrorComponentProps) {
  const router = useRouter();
  const again = () => {
    reset();
    void router.invalidate();
  };
  // biome-ignore lint/correctness/useExhaustiveDependencies: what is done on a return does not change
  useEffect(() => whenBack(again), []);
  return (
    <>
      <PageHead title="This page cannot be shown" />
      <FaultNote fault={faultOf(error)} retry={again} />
      <Button component={Link} to="/" variant="default" mt="md">
        Go to the overview
      </Button>
    </>
  );
}
